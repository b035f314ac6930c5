import type { ReactNode } from 'react'
import { Field, Textarea } from '../../../ui/field.tsx'
import { Sheet } from '../../../ui/page.tsx'
import { TagsInput } from '../../../ui/tags-input.tsx'
import { Buffered } from './buffered.tsx'
import { Count } from './count.tsx'
import { type FieldsProps, fieldsOf } from './fields.ts'

/** The API's limits. */
const MOST = { excerpt: 1_000, tags: 50, tag: 64 }

/** The address, the excerpt and the tags. */
export function AboutFields(props: FieldsProps) {
  const { view, editable } = props
  const { draft } = view
  const { set, errorOf } = fieldsOf(props)
  return (
    <Sheet title="About this post">
      <div className="grid grid-cols-1 gap-4">
        <Field label="Address" error={errorOf('slug')} hint={slugHint(view.post?.status === 'published', draft.slug)}>
          <Buffered
            mono
            value={draft.slug}
            readOnly={!editable}
            maxLength={300}
            spellCheck={false}
            autoComplete="off"
            onCommit={(slug) => set({ slug })}
          />
        </Field>
        <Field
          label="Excerpt"
          aside={<Count text={draft.excerpt} most={MOST.excerpt} />}
          error={errorOf('excerpt')}
          hint="For lists of posts. If it is empty, most sites show none."
        >
          <Textarea
            value={draft.excerpt}
            readOnly={!editable}
            maxLength={MOST.excerpt}
            onChange={({ target }) => set({ excerpt: target.value })}
          />
        </Field>
        <Field label="Tags" error={errorOf('tags')} hint="Press Enter or comma after each tag.">
          <TagsInput
            value={draft.tags}
            readOnly={!editable}
            most={MOST.tags}
            maxLength={MOST.tag}
            onChange={(tags) => set({ tags })}
          />
        </Field>
      </div>
    </Sheet>
  )
}

function slugHint(published: boolean, slug: string): ReactNode {
  if (published) return 'Sites also get the old address, so they can redirect readers.'
  return slug === '' ? 'Made from the title.' : 'The end of its web address. If it is empty, it is made from the title.'
}
