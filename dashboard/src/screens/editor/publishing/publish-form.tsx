import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery } from '../../../queries.ts'
import { problemOfTime } from '../../../schedule/time-fields.tsx'
import { instantOf, type WallTime } from '../../../schedule/zoned.ts'
import { type Audience, receivingOf } from '../../../sites/audience.ts'
import { AudienceChoice } from '../../../sites/audience-choice.tsx'
import { OriginalChoice } from '../../../sites/original-choice.tsx'
import { Radio } from '../../../ui/choice.tsx'
import { isSame } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { chosenZone } from './chosen-zone.ts'
import { PublishingForm } from './publishing-form.tsx'
import { proposedTime, ScheduleFields } from './schedule.tsx'
import { problemOfEnd, type Until, UntilChoice, untilOf } from './until.tsx'
import { usePublishing } from './use-publishing.ts'

type PublishFormProps = {
  openPost: OpenPost
  view: View
  sites: readonly Site[]
  later: boolean
  onSent: (siteIds: ReadonlySet<string>) => void
  onClose: () => void
}

/** Asks when and where a post goes that is not published, and until when. */
export function PublishForm({ openPost, view, sites, later: beginsLater, onSent, onClose }: PublishFormProps) {
  const { post } = view
  const [later, setLater] = useState(beginsLater)
  const [scheduled] = useState(post?.scheduled_at)
  const [proposed] = useState(() => proposedTime(post))
  const [time, setTime] = useState(proposed)
  const [audience, setAudience] = useState<Audience>(post?.site_ids ?? null)
  const usual = useQuery(accountQuery).data?.primary_site_id ?? null
  const [original, setOriginal] = useState(post === undefined ? usual : post.primary_site_id)
  const [remembers, setRemembers] = useState(usual === null)
  const [ended] = useState(post?.unpublish_at)
  const [planned] = useState(() => untilOf(ended, proposed.zone))
  const [until, setUntil] = useState<Until>(planned)
  // A time that is left as it is keeps its seconds, and in an hour that clocks repeat its place in it.
  const at = scheduled != null && isSame(time, proposed) ? new Date(scheduled).getTime() : instantOf(time)
  const end = ended != null && isSame(until, planned) ? new Date(ended).getTime() : until && instantOf(until)
  const begin = later ? at : undefined
  const receiving = receivingOf(audience, sites)
  const blocked =
    (later && problemOfTime(time, at) !== undefined) ||
    (audience !== null && audience.length === 0) ||
    (until !== undefined && problemOfEnd(until, begin) !== undefined)

  const go = usePublishing({
    openPost,
    schedule: later ? { at, zone: time.zone } : undefined,
    audience,
    original,
    remembers: remembers && original !== null && original !== usual,
    end,
    receiving,
    onSent,
    onClose,
  })
  const to = receiving.length === 0 ? '' : ` to ${receiving.length === 1 ? '1 site' : `${receiving.length} sites`}`
  return (
    <PublishingForm
      openPost={openPost}
      view={view}
      verb={later ? 'Schedule' : `Publish${to}`}
      blocked={blocked}
      go={go}
      onClose={onClose}
    >
      <When later={later} onLater={setLater} time={time} at={at} onTime={setTime} />
      <AudienceChoice sites={sites} value={audience} onChange={setAudience} noteOf={noteOf} />
      <OriginalChoice
        sites={sites}
        audience={audience}
        authored={view.draft.canonicalUrl}
        usual={usual}
        value={original}
        onChange={setOriginal}
        remember={[remembers, setRemembers]}
      />
      <UntilChoice value={until} begin={begin} zone={later ? time.zone : chosenZone()} onChange={setUntil} />
    </PublishingForm>
  )
}

function noteOf({ status }: Site): string | undefined {
  if (status === 'inactive') return 'Paused: it does not get the post now'
  return status === 'error' ? 'Its last deliveries failed' : undefined
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
