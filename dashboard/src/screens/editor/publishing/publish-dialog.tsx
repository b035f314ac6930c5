/** Sends a post to its sites, now or later, and shows how it arrives. */
import type { LoggedDelivery, Site } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sentence } from '../../../api.ts'
import { type Holding, holdingsOf } from '../../../delivery/holding.ts'
import { standingOf } from '../../../delivery/standing.ts'
import { counted } from '../../../format.ts'
import { deliveriesOfPostQuery, queryClient, sitesQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Radio } from '../../../ui/choice.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Textarea } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import { toast } from '../../../ui/toast.tsx'
import { documentOf, isSame } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { Arrivals, newestPerSite } from './arrivals.tsx'
import { type Check, checksOf } from './checks.ts'
import { problemOfTime, proposedTime, ScheduleFields } from './schedule.tsx'
import { SiteChoice } from './site-choice.tsx'
import { zonePlace } from './zone-names.ts'
import { instantOf, longTime, OWN_ZONE } from './zoned.ts'

/** What the dialog opens with: the choice (now or later), or how the post arrives at the sites. */
export type Publishing = 'now' | 'later' | 'arriving'

type PublishProps = { openPost: OpenPost; view: View; begin: Publishing; onClose: () => void }

/** The open dialog. */
export function Publish({ openPost, view, begin, onClose }: PublishProps) {
  const { post, draft } = view
  const sites = useQuery(sitesQuery)
  const postId = post?.id
  const deliveries = useQuery({ ...deliveriesOfPostQuery(postId ?? ''), enabled: postId !== undefined })
  const [sentTo, setSentTo] = useState<ReadonlySet<string>>()
  // The question must not change while somebody answers it.
  const [published] = useState(post?.status === 'published')
  // A post first stored while the dialog is open has no deliveries: waiting for them would restart the dialog.
  const [fresh] = useState(postId === undefined)
  const known = deliveries.data?.data ?? (fresh ? [] : undefined)
  const arriving = postId !== undefined && (sentTo !== undefined || begin === 'arriving')
  const error = sites.error ?? deliveries.error
  const parts = () => {
    if (arriving) return <Arriving postId={postId} siteIds={sentTo} deliveries={known} onClose={onClose} />
    if (sites.data !== undefined && known !== undefined)
      return (
        <Choose
          openPost={openPost}
          view={view}
          published={published}
          sites={sites.data.sites}
          having={published ? holdingsOf(known) : new Map()}
          later={begin === 'later' || post?.status === 'scheduled'}
          onSent={setSentTo}
          onClose={onClose}
        />
      )
    if (error === null) return <Skeleton className="h-64" />
    return <Problem error={error} retry={() => void Promise.all([sites.refetch(), deliveries.refetch()])} />
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={arriving ? titleOf(sentTo, known) : published ? 'Send to sites' : 'Publish'}
      description={<span className="font-serif">{draft.title.trim() || 'Untitled'}</span>}
    >
      {parts()}
    </Dialog>
  )
}

/** The newest deliveries to these sites, or to all. */
function newestTo(siteIds: ReadonlySet<string> | undefined, deliveries: readonly LoggedDelivery[] = []) {
  return newestPerSite(deliveries).filter(({ site_id: id }) => siteIds?.has(id) !== false)
}

function titleOf(siteIds: ReadonlySet<string> | undefined, deliveries: readonly LoggedDelivery[] | undefined): string {
  const shown = newestTo(siteIds, deliveries)
  if (shown.length === 0) return deliveries === undefined ? 'On its way' : 'Published'
  if (shown.some(({ status }) => status === 'pending')) return 'On its way'
  const failed = shown.filter((delivery) => standingOf(delivery) === 'failed').length
  if (failed === 0) return 'It has arrived'
  return failed === shown.length ? 'It has not arrived' : 'It has not arrived everywhere'
}

/** The buttons, which stay visible while the content above them scrolls. */
function Actions({ children }: { children: ReactNode }) {
  return <div className="sticky bottom-0 -mx-5 -mb-4 flex justify-end gap-2 bg-raised px-5 pt-2 pb-4">{children}</div>
}

type ChooseProps = {
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

function Choose({ openPost, view, published, sites, having, later: beginsLater, onSent, onClose }: ChooseProps) {
  const { post, draft, dirty } = view
  const updates = published && dirty
  const open = sites.filter(({ status }) => status !== 'inactive').map(({ id }) => id)
  const [later, setLater] = useState(beginsLater && !published)
  const [scheduled] = useState(post?.scheduled_at)
  const [proposed] = useState(() => proposedTime(post))
  const [time, setTime] = useState(proposed)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(published ? [] : open))
  const [describes] = useState(draft.metaDescription.trim() === '')
  const locked = (id: string) => later || (updates && having.has(id))
  const ticked = new Set(sites.map(({ id }) => id).filter((id) => isTicked(id)))
  function isTicked(id: string): boolean {
    if (!open.includes(id)) return updates && having.has(id)
    return later || (updates && having.has(id)) || chosen.has(id)
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The form may have appeared after the dialog opened, so it sets the focus itself.
    const first =
      form.current?.querySelector<HTMLElement>('input:checked:enabled') ??
      form.current?.querySelector<HTMLElement>('input:enabled')
    first?.focus()
  }, [])
  const checks = checksOf(draft, documentOf(draft, post))
  // A time that is left as it is keeps its seconds, and in an hour that clocks repeat its place in it.
  const at = scheduled != null && isSame(time, proposed) ? new Date(scheduled).getTime() : instantOf(time)
  const blocked =
    checks.some(({ blocks }) => blocks) ||
    (later ? problemOfTime(time, at) !== undefined : ticked.size === 0 && (open.length > 0 || published))

  const go = useMutation({
    async mutationFn() {
      if (later) {
        if (at === undefined) return false
        return openPost.command({
          status: 'scheduled',
          scheduled_at: new Date(at).toISOString(),
          schedule_zone: time.zone,
        })
      }
      const done = await send()
      const { post: sent } = openPost.view()
      if (done && sent !== undefined)
        await queryClient.fetchQuery({ ...deliveriesOfPostQuery(sent.id), staleTime: 0 }).catch(() => undefined)
      return done
    },
    onSuccess(done) {
      if (!done) return
      if (!later) return onSent(ticked)
      toast({
        text: `Scheduled for ${longTime(at ?? 0, time.zone)}${time.zone === OWN_ZONE ? '' : ` in ${zonePlace(time.zone)}`}.`,
      })
      onClose()
    },
  })
  const send = () => {
    if (!published) return openPost.publish(ticked.size === open.length ? undefined : [...ticked])
    if (!updates) return openPost.publish([...ticked])
    // Sites that have the post are sent the change when it is stored.
    const others = [...ticked].filter((id) => !having.has(id))
    return others.length === 0 ? openPost.save() : openPost.publish(others)
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
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
      {!published && (
        <fieldset className="grid gap-2">
          <legend className="mb-2 font-[550]">When</legend>
          <div className="grid grid-cols-2 gap-2">
            <Radio name="when" label="Now" checked={!later} onChange={() => setLater(false)} />
            <Radio name="when" label="Later" checked={later} onChange={() => setLater(true)} />
          </div>
          {later && (
            <div className="mt-2">
              <ScheduleFields value={time} at={at} onChange={setTime} />
            </div>
          )}
        </fieldset>
      )}
      <SiteChoice
        sites={sites}
        hint={hintOf({ later, published, updates })}
        having={having}
        updates={updates}
        ticked={ticked}
        locked={locked}
        onToggle={toggle}
        onAll={(all) => setChosen(new Set(all ? open : []))}
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
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" busy={go.isPending} disabled={blocked}>
          {verbOf({ later, updates, published, count: ticked.size })}
        </Button>
      </Actions>
    </form>
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

type ArrivingProps = {
  postId: string
  siteIds: ReadonlySet<string> | undefined
  deliveries: readonly LoggedDelivery[] | undefined
  onClose: () => void
}

/** How the post arrives. If the dialog is closed, the page shows the same beside the text. */
function Arriving({ postId, siteIds, deliveries, onClose }: ArrivingProps) {
  const none = deliveries !== undefined && newestTo(siteIds, deliveries).length === 0
  return (
    <div className="grid grid-cols-1 gap-5">
      {none ? (
        <p>There was no site to send it to. Sites that you connect later can fetch it.</p>
      ) : (
        <Arrivals postId={postId} siteIds={siteIds} />
      )}
      <Actions>
        <Button kind="primary" autoFocus onClick={onClose}>
          Done
        </Button>
      </Actions>
    </div>
  )
}

type Manner = { later: boolean; published: boolean; updates: boolean }

function verbOf({ later, published, updates, count }: Manner & { count: number }): string {
  if (later) return 'Schedule'
  const to = count === 0 ? '' : ` ${updates ? 'at' : 'to'} ${counted(count, 'site')}`
  return `${updates ? 'Update' : published ? 'Send' : 'Publish'}${to}`
}

function hintOf({ later, published, updates }: Manner): string | undefined {
  if (later) return 'It goes to every site that is not paused when its time comes.'
  if (updates) return 'Sites that have the post get the change.'
  return published ? 'Choose the sites to send it to. A site that has it gets it again.' : undefined
}

function notStored({ problem }: View): ReactNode {
  return problem === undefined ? 'It could not be stored.' : `It could not be stored: ${problem.text}`
}
