/** Fields for a date and a time, and what the time they mean is on other clocks. */
import { Field, Input } from '../ui/field.tsx'
import { Ago } from '../ui/time.tsx'
import { longTime, OWN_ZONE, utcText, type WallTime, wallTime } from './zoned.ts'

/** What is wrong with a time, and which field to change; undefined if nothing. */
export type TimeProblem = { field: 'date' | 'time'; text: string } | undefined

/** The problem of a time that means the instant `at`. */
export function problemOfTime({ date, time, zone }: WallTime, at: number | undefined): TimeProblem {
  if (date === '') return { field: 'date', text: 'Choose a date.' }
  if (time === '') return { field: 'time', text: 'Choose a time.' }
  if (at === undefined)
    return { field: 'time', text: 'This time does not exist in this zone: clocks are set forward then.' }
  if (at > Date.now()) return undefined
  return date < wallTime(Date.now(), zone).date
    ? { field: 'date', text: 'This day has passed.' }
    : { field: 'time', text: 'This time has passed.' }
}

type TimeFieldsProps = { value: WallTime; problem: TimeProblem; onChange: (value: WallTime) => void }

/** The fields for a date and a time. */
export function TimeFields({ value, problem, onChange }: TimeFieldsProps) {
  const errorOf = (field: 'date' | 'time') => (problem?.field === field ? problem.text : undefined)
  return (
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
