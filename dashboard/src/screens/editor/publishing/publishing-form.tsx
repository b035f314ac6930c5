import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { sentence } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Field, Textarea } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { documentOf } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { type Check, checksOf } from './checks.ts'
import { StickyActions } from './sticky-actions.tsx'

type PublishingFormProps = {
  openPost: OpenPost
  view: View
  /** What the button does, and whether that cannot be done yet. */
  verb: string
  blocked: boolean
  /** The request; its result is false when the post could not be stored. */
  go: { mutate: () => void; isPending: boolean; error: Error | null; data: boolean | undefined }
  onClose: () => void
  /** The questions. */
  children: ReactNode
}

/** What is asked and checked before a post goes out. */
export function PublishingForm({ openPost, view, verb, blocked, go, onClose, children }: PublishingFormProps) {
  const { post, draft } = view
  const [describes] = useState(draft.metaDescription.trim() === '')
  const form = useFirstField()
  const checks = checksOf(draft, documentOf(draft, post), view.warnings)
  const isBlocked = blocked || checks.some(({ blocks }) => blocks)
  const refused = go.error !== null ? sentence(go.error) : go.data === false ? notStored(view) : undefined
  return (
    <form
      ref={form}
      className="grid grid-cols-1 gap-5"
      // Enter on a checkbox or field must not publish by accident; with Ctrl or ⌘ it submits like the button.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        if (event.ctrlKey || event.metaKey) event.currentTarget.requestSubmit()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlocked && !go.isPending) go.mutate()
      }}
    >
      {children}
      {checks.length > 0 && <Checks checks={checks} />}
      {describes && (
        <Field label="Description" hint="For search engines and social networks, in a sentence or two.">
          <Textarea
            value={draft.metaDescription}
            maxLength={500}
            onChange={({ target }) => openPost.change({ metaDescription: target.value })}
          />
        </Field>
      )}
      {refused !== undefined && <Notice tone="failed">{refused}</Notice>}
      <StickyActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" busy={go.isPending} disabled={isBlocked}>
          {verb}
        </Button>
      </StickyActions>
    </form>
  )
}

/** The form's first field gets the focus: the form may have appeared after the dialog opened. */
function useFirstField(): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const first =
      form.current?.querySelector<HTMLElement>('input:checked:enabled') ??
      form.current?.querySelector<HTMLElement>('input:enabled')
    first?.focus()
  }, [])
  return form
}

function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <section aria-label="Before you publish" className="grid gap-2">
      {checks.map(({ blocks, title, text }) => (
        <Notice key={title} tone={blocks ? 'failed' : 'trying'} title={title}>
          {text}
        </Notice>
      ))}
    </section>
  )
}

/** Why the service does not have the post. */
export function notStored({ problem }: View): string {
  return problem === undefined ? 'It could not be stored.' : `It could not be stored: ${problem.text}`
}
