import type { Site } from '@postrider/sdk'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { sentence } from '../../../api.ts'
import type { Holding } from '../../../delivery/holding.ts'
import { Button } from '../../../ui/button.tsx'
import { Radio } from '../../../ui/choice.tsx'
import { Field, Textarea } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { documentOf, isSame } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { type Check, checksOf } from './checks.ts'
import { hintOf, verbOf } from './publish-words.ts'
import { problemOfTime, proposedTime, ScheduleFields } from './schedule.tsx'
import { SiteChoice } from './site-choice.tsx'
import { StickyActions } from './sticky-actions.tsx'
import { useSending } from './use-sending.ts'
import { useSiteSelection } from './use-site-selection.ts'
import { instantOf, type WallTime } from './zoned.ts'

type PublishFormProps = {
  openPost: OpenPost
  view: View
  /** Whether the post was published when the dialog opened. */
  published: boolean
  sites: readonly Site[]
  /** The sites that were sent the post, with what each has of it. */
  having: ReadonlyMap<string, Holding>
  later: boolean
  onSent: (siteIds: ReadonlySet<string>) => void
  onClose: () => void
}

/** Asks when and where the post goes, and says what to check before. */
export function PublishForm({
  openPost,
  view,
  published,
  sites,
  having,
  later: beginsLater,
  onSent,
  onClose,
}: PublishFormProps) {
  const { post, draft, dirty } = view
  const updates = published && dirty
  const [later, setLater] = useState(beginsLater && !published)
  const [scheduled] = useState(post?.scheduled_at)
  const [proposed] = useState(() => proposedTime(post))
  const [time, setTime] = useState(proposed)
  const [describes] = useState(draft.metaDescription.trim() === '')
  const { open, ticked, locked, toggle, all } = useSiteSelection({ sites, having, published, updates, later })
  const form = useFirstField()
  const checks = checksOf(draft, documentOf(draft, post), view.warnings)
  // A time that is left as it is keeps its seconds, and in an hour that clocks repeat its place in it.
  const at = scheduled != null && isSame(time, proposed) ? new Date(scheduled).getTime() : instantOf(time)
  const blocked =
    checks.some(({ blocks }) => blocks) ||
    (later ? problemOfTime(time, at) !== undefined : ticked.size === 0 && (open.length > 0 || published))

  const go = useSending({
    openPost,
    schedule: later ? { at, zone: time.zone } : undefined,
    published,
    updates,
    ticked,
    toAll: ticked.size === open.length,
    having,
    onSent,
    onClose,
  })
  const refused = go.isError ? sentence(go.error) : go.data === false ? notStored(view) : undefined

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
        if (!blocked && !go.isPending) go.mutate()
      }}
    >
      {!published && <When later={later} onLater={setLater} time={time} at={at} onTime={setTime} />}
      <SiteChoice
        sites={sites}
        hint={hintOf({ later, published, updates })}
        having={having}
        updates={updates}
        ticked={ticked}
        locked={locked}
        onToggle={toggle}
        onAll={all}
      />
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
        <Button kind="primary" type="submit" busy={go.isPending} disabled={blocked}>
          {verbOf({ later, updates, published, count: ticked.size })}
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

type WhenProps = {
  later: boolean
  onLater: (later: boolean) => void
  time: WallTime
  at: number | undefined
  onTime: (time: WallTime) => void
}

function When({ later, onLater, time, at, onTime }: WhenProps) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 font-[550]">When</legend>
      <div className="grid grid-cols-2 gap-2">
        <Radio name="when" label="Now" checked={!later} onChange={() => onLater(false)} />
        <Radio name="when" label="Later" checked={later} onChange={() => onLater(true)} />
      </div>
      {later && (
        <div className="mt-2">
          <ScheduleFields value={time} at={at} onChange={onTime} />
        </div>
      )}
    </fieldset>
  )
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

function notStored({ problem }: View): ReactNode {
  return problem === undefined ? 'It could not be stored.' : `It could not be stored: ${problem.text}`
}
