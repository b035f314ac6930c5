import { useMemo } from 'react'
import { clock } from '../../format.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Ago } from '../../ui/time.tsx'
import { chooseZone, chosenZone } from './chosen-zone.ts'
import { OWN_ZONE, utcText, type WallTime, wallTime, zones } from './zoned.ts'

/**
 * When a scheduled post goes out; for any other post a proposal, tomorrow morning. In the zone chosen last, because the service
 * stores instants without zones.
 */
export function proposedTime(scheduledAt: string | null | undefined): WallTime {
  const zone = chosenZone()
  if (scheduledAt != null) return wallTime(new Date(scheduledAt).getTime(), zone)
  return { ...wallTime(Date.now() + 24 * 3_600_000, zone), time: '09:00' }
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
  const all = useMemo(zones, [])
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
      <Field label="Time zone">
        <Select
          value={value.zone}
          onChange={({ target: { value: zone } }) => {
            chooseZone(zone)
            onChange({ ...value, zone })
          }}
        >
          {all.map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </Select>
      </Field>
      {problem === undefined && at !== undefined && (
        <p className="text-sm text-faint">
          <span className="figures">{utcText(at)}</span>, <Ago at={new Date(at).toISOString()} />
          {value.zone !== OWN_ZONE && `; ${clock(new Date(at).toISOString())} here`}
        </p>
      )}
    </div>
  )
}
