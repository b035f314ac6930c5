/** The fields of a post other than its title and text. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { number } from '../../../format.ts'
import { sitesQuery } from '../../../queries.ts'
import { Field, Input, Textarea } from '../../../ui/field.tsx'
import { Sheet } from '../../../ui/page.tsx'
import { TagsInput } from '../../../ui/tags-input.tsx'
import { type Draft, type Field as DraftField, documentOf } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { Buffered } from './buffered.tsx'
import { SearchPreview, SocialPreview, useFirstWords } from './previews.tsx'

/** The API's limits, and the lengths at which search engines cut off. */
const MOST = { excerpt: 1_000, tags: 50, tag: 64, metaTitle: 200, metaDescription: 500 }
const SHOWN = { metaTitle: 60, metaDescription: 160 }

const WHOLE_ADDRESS = 'Enter the full address, starting with https:// or http://.'

type SettingsProps = { openPost: OpenPost; view: View; editable: boolean }

/** The fields, saved in the same way as the text. */
export function Settings({ openPost, view, editable }: SettingsProps) {
  const { draft, problem, post } = view
  const host = useHost(draft)
  const words = useFirstWords(documentOf(draft, post))
  const set = (part: Partial<Draft>) => openPost.change(part)
  const errorOf = (field: DraftField) => (problem?.field === field ? problem.text : undefined)
  return (
    <>
      <Sheet title="About this post">
        <div className="grid grid-cols-1 gap-4">
          <Field label="Address" error={errorOf('slug')} hint={slugHint(post?.status === 'published', draft.slug)}>
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
            hint="For lists of posts. If it is empty, the site chooses."
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
      <Sheet title="In search results">
        <div className="grid grid-cols-1 gap-4">
          <SearchPreview draft={draft} words={words} host={host} />
          <Field
            label="Search title"
            aside={<Count text={draft.metaTitle} most={SHOWN.metaTitle} soft />}
            error={errorOf('metaTitle')}
            hint="If it is empty, the title of the post is used."
          >
            <Input
              value={draft.metaTitle}
              readOnly={!editable}
              maxLength={MOST.metaTitle}
              onChange={({ target }) => set({ metaTitle: target.value })}
            />
          </Field>
          <Field
            label="Description"
            aside={<Count text={draft.metaDescription} most={SHOWN.metaDescription} soft />}
            error={errorOf('metaDescription')}
            hint="What the post offers its readers, in a sentence or two."
          >
            <Textarea
              value={draft.metaDescription}
              readOnly={!editable}
              maxLength={MOST.metaDescription}
              onChange={({ target }) => set({ metaDescription: target.value })}
            />
          </Field>
          <Field
            label="Original address"
            error={errorOf('canonicalUrl') && WHOLE_ADDRESS}
            hint="If the text was first published elsewhere: search engines are pointed there."
          >
            <Buffered
              type="url"
              inputMode="url"
              placeholder="https://"
              value={draft.canonicalUrl}
              readOnly={!editable}
              spellCheck={false}
              autoComplete="off"
              onCommit={(canonicalUrl) => set({ canonicalUrl })}
            />
          </Field>
        </div>
      </Sheet>
      <Sheet title="On social networks">
        <div className="grid grid-cols-1 gap-4">
          <SocialPreview draft={draft} words={words} host={host} />
          <Field
            label="Picture"
            error={errorOf('ogImage') && WHOLE_ADDRESS}
            hint="Its address on the web. About 1200 × 630 pixels suits most."
          >
            <Buffered
              type="url"
              inputMode="url"
              placeholder="https://"
              value={draft.ogImage}
              readOnly={!editable}
              spellCheck={false}
              autoComplete="off"
              onCommit={(ogImage) => set({ ogImage })}
            />
          </Field>
        </div>
      </Sheet>
    </>
  )
}

function slugHint(published: boolean, slug: string): ReactNode {
  if (published) return 'Sites also get the old address, so they can redirect readers.'
  return slug === '' ? 'Made from the title.' : 'The end of its web address. If it is empty, it is made from the title.'
}

/** The host where readers may find the post: that of its canonical address, else of the first site. */
function useHost({ canonicalUrl }: Draft): string {
  const { data } = useQuery(sitesQuery)
  const address = URL.parse(canonicalUrl.trim()) ?? URL.parse(data?.sites[0]?.url ?? '')
  return address?.host ?? 'your-site.example'
}

/** A counter of a text's length. `soft`: more is allowed, but will not be shown. */
function Count({ text, most, soft = false }: { text: string; most: number; soft?: boolean }) {
  const length = [...text.trim()].length
  const over = length > most
  return (
    <span className={over && soft ? 'text-trying' : undefined}>
      {length} of {number(most)}
      {over && soft && ': the rest may be cut off'}
    </span>
  )
}
