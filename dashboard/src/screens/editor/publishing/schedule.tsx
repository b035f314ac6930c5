import type { Post } from '@postrider/sdk'
import { useId, useMemo, useState } from 'react'
import { Field, Input } from '../../../ui/field.tsx'
import { Ago } from '../../../ui/time.tsx'
import { chooseZone, chosenZone } from './chosen-zone.ts'
import { zoneName, zoneOf } from './zone-names.ts'
import { longTime, OWN_ZONE, utcText, type WallTime, wallTime, zones } from './zoned.ts'

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

/** What is wrong with a time that means the instant `at`, and which field to change; undefined if nothing. */
export function problemOfTime(
  { date, time, zone }: WallTime,
  at: number | undefined,
): { field: 'date' | 'time'; text: string } | undefined {
  if (date === '') return { field: 'date', text: 'Choose a date.' }
  if (time === '') return { field: 'time', text: 'Choose a time.' }
  if (at === undefined)
    return { field: 'time', text: 'This time does not exist in this zone: clocks are set forward then.' }
  if (at > Date.now()) return undefined
  return date < wallTime(Date.now(), zone).date
    ? { field: 'date', text: 'This day has passed.' }
    : { field: 'time', text: 'This time has passed.' }
}

type ScheduleFieldsProps = { value: WallTime; at: number | undefined; onChange: (value: WallTime) => void }

/** The fields for a date, a time and a zone, and the instant `at` that they mean. */
export function ScheduleFields({ value, at, onChange }: ScheduleFieldsProps) {
  const problem = problemOfTime(value, at)
  const errorOf = (field: 'date' | 'time') => (problem?.field === field ? problem.text : undefined)
  return (
    <div className="grid gap-3">
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <Field label="Date" error={errorOf('date')}>
          <Input
            type="date"
            value={value.date}
            min={wallTime(Date.now(), value.zone).date}
            onChange={({ target }) => onChange({ ...value, date: target.value })}
          />
        </Field>
        <Field label="Time" error={errorOf('time')}>
          <Input
            type="time"
            value={value.time}
            onChange={({ target }) => onChange({ ...value, time: target.value.slice(0, 5) })}
          />
        </Field>
      </div>
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

/** What the same instant is on this machine's clock, where that differs, and in UTC; and how far ahead it is. */
export function OtherClocks({ at, zone }: { at: number; zone: string }) {
  return (
    <p className="text-sm text-faint">
      {zone !== OWN_ZONE && `${longTime(at, OWN_ZONE)} your time; `}
      <span className="figures">{utcText(at)}</span>, <Ago at={new Date(at).toISOString()} />
    </p>
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
