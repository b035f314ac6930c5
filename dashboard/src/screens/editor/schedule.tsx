import { useMemo } from 'react'
import { clock } from '../../format.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Ago } from '../../ui/time.tsx'
import { instantOf, OWN_ZONE, utcText, type WallTime, wallTime, zones } from './zoned.ts'

/** When a post that is not scheduled yet may be meant to go out: tomorrow morning. */
export function proposedTime(scheduledAt: string | null | undefined): WallTime {
  if (scheduledAt != null) return wallTime(new Date(scheduledAt).getTime(), OWN_ZONE)
  return { ...wallTime(Date.now() + 24 * 3_600_000, OWN_ZONE), time: '09:00' }
}

/** What is the matter with a time; undefined: nothing. */
export function problemOfTime(value: WallTime): string | undefined {
  const at = instantOf(value)
  if (value.date === '' || value.time === '') return 'Choose a date and a time.'
  if (at === undefined) return 'There is no such time in this zone: clocks are set forward then.'
  return at <= Date.now() ? 'This time has passed.' : undefined
}

type ScheduleFieldsProps = { value: WallTime; onChange: (value: WallTime) => void }

/** A date, a time and a zone, and the instant they are. */
export function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const all = useMemo(zones, [])
  const at = instantOf(value)
  const problem = problemOfTime(value)
  return (
    <div className="grid gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Date">
          <Input
            type="date"
            value={value.date}
            min={wallTime(Date.now(), value.zone).date}
            onChange={({ target }) => onChange({ ...value, date: target.value })}
          />
        </Field>
        <Field label="Time">
          <Input
            type="time"
            value={value.time}
            onChange={({ target }) => onChange({ ...value, time: target.value.slice(0, 5) })}
          />
        </Field>
      </div>
      <Field label="Time zone" error={problem}>
        <Select value={value.zone} onChange={({ target }) => onChange({ ...value, zone: target.value })}>
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
