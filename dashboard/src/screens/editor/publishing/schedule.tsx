import type { Post } from '@postrider/sdk'
import { useId, useMemo, useState } from 'react'
import { OtherClocks, problemOfTime, TimeFields } from '../../../schedule/time-fields.tsx'
import { OWN_ZONE, type WallTime, wallTime, zones } from '../../../schedule/zoned.ts'
import { Field, Input } from '../../../ui/field.tsx'
import { chooseZone, chosenZone } from './chosen-zone.ts'
import { zoneName, zoneOf } from './zone-names.ts'

/** When a scheduled post goes out, by the clock it was planned by; for any other post a proposal, tomorrow morning in the zone chosen last. */
export function proposedTime(post: Planned | undefined): WallTime {
  if (post?.scheduled_at != null) return wallTime(new Date(post.scheduled_at).getTime(), plannedZone(post))
  const zone = chosenZone()
  return { ...wallTime(Date.now() + 24 * 3_600_000, zone), time: '09:00' }
}

/** What a post says of its schedule. */
export type Planned = Pick<Post, 'scheduled_at' | 'schedule_zone'>

/** The zone by which a post's schedule was planned; this machine's if none was named, or one that this browser does not know. */
export function plannedZone({ schedule_zone: zone }: Planned): string {
  return zone !== undefined && zones().includes(zone) ? zone : OWN_ZONE
}

type ScheduleFieldsProps = { value: WallTime; at: number | undefined; onChange: (value: WallTime) => void }

/** The fields for a date, a time and a zone, and the instant `at` that they mean. */
export function ScheduleFields({ value, at, onChange }: ScheduleFieldsProps) {
  const problem = problemOfTime(value, at)
  return (
    <div className="grid gap-3">
      <TimeFields value={value} problem={problem} onChange={onChange} />
      <ZoneField
        zone={value.zone}
        onChange={(zone) => {
          chooseZone(zone)
          onChange({ ...value, zone })
        }}
      />
      {problem === undefined && at !== undefined && <OtherClocks at={at} zone={value.zone} />}
    </div>
  )
}

/** A zone, found by typing the beginning of a place. */
function ZoneField({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const [text, setText] = useState(() => zoneName(zone))
  const names = useMemo(() => zones().map(zoneName), [])
  const list = useId()
  const isKnown = zoneOf(text) !== undefined
  return (
    <Field label="Time zone" error={isKnown ? undefined : 'Type a city and choose its zone from the list.'}>
      <Input
        value={text}
        list={list}
        autoComplete="off"
        spellCheck={false}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => {
          setText(target.value)
          const chosen = zoneOf(target.value)
          if (chosen !== undefined) onChange(chosen)
        }}
        onBlur={() => setText(zoneName(zoneOf(text) ?? zone))}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  )
}
