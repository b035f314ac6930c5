/** Until when a post is published. */
import { useState } from 'react'
import { OtherClocks, problemOfTime, TimeFields, type TimeProblem } from '../../../schedule/time-fields.tsx'
import { instantOf, type WallTime, wallTime } from '../../../schedule/zoned.ts'
import { Checkbox } from '../../../ui/choice.tsx'

const DAY_MS = 24 * 3_600_000

/** When the post is unpublished; undefined: it stays. */
export type Until = WallTime | undefined

/** The end of a post on a clock in that zone. */
export function untilOf(unpublishAt: string | null | undefined, zone: string): Until {
  return unpublishAt == null ? undefined : wallTime(new Date(unpublishAt).getTime(), zone)
}

/** A week after it begins, at the same time of the day. */
export function proposedEnd(begin: number, zone: string): WallTime {
  return wallTime(begin + 7 * DAY_MS, zone)
}

/** What is wrong with an end; `begin`: when the post is published, undefined for now. */
export function problemOfEnd(until: WallTime, begin: number | undefined): TimeProblem {
  const at = instantOf(until)
  const problem = problemOfTime(until, at)
  if (problem !== undefined || begin === undefined || at === undefined || at > begin) return problem
  return { field: 'date', text: 'This is not after it is published.' }
}

type UntilFieldsProps = { value: WallTime; begin?: number | undefined; onChange: (until: WallTime) => void }

/** The fields for the end. */
export function UntilFields({ value, begin, onChange }: UntilFieldsProps) {
  const problem = problemOfEnd(value, begin)
  const at = instantOf(value)
  return (
    <div className="grid gap-3">
      <TimeFields value={value} problem={problem} onChange={onChange} />
      {problem === undefined && at !== undefined && <OtherClocks at={at} zone={value.zone} />}
    </div>
  )
}

type UntilChoiceProps = {
  value: Until
  /** When it is published, undefined for now, and on which clock that is shown. */
  begin: number | undefined
  zone: string
  onChange: (until: Until) => void
}

/** Whether the post is unpublished at a set time. */
export function UntilChoice({ value, begin, zone, onChange }: UntilChoiceProps) {
  // Who unticks it and ticks it again finds the same time.
  const [last, setLast] = useState(value)
  const change = (until: WallTime) => {
    setLast(until)
    onChange(until)
  }
  return (
    <div className="grid gap-3">
      <Checkbox
        label="Unpublish it at a set time"
        hint="Its sites are then asked to remove it, and it becomes a draft."
        checked={value !== undefined}
        onChange={({ target }) =>
          target.checked ? change(last ?? proposedEnd(begin ?? Date.now(), zone)) : onChange(undefined)
        }
      />
      {value !== undefined && (
        <fieldset className="grid gap-2 pl-7">
          <legend className="sr-only">When it is unpublished</legend>
          <UntilFields value={value} begin={begin} onChange={change} />
        </fieldset>
      )}
    </div>
  )
}
