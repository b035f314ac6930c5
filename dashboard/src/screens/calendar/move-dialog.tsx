import { useState } from 'react'
import { OtherClocks, problemOfTime, TimeFields } from '../../schedule/time-fields.tsx'
import { instantOf, OWN_ZONE, wallTime } from '../../schedule/zoned.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Day } from './days.ts'
import type { Entry } from './plan.ts'

type MoveDialogProps = {
  entry: Entry
  /** The day to begin with, if it is not the post's. */
  day: Day | undefined
  onMove: (to: number) => void
  onClose: () => void
}

/** Asks for another time of a scheduled post. */
export function MoveDialog({ entry, day, onMove, onClose }: MoveDialogProps) {
  const [time, setTime] = useState(() => {
    const now = wallTime(entry.at, OWN_ZONE)
    return { ...now, date: day ?? now.date }
  })
  const at = instantOf(time)
  const problem = problemOfTime(time, at)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="When does it go out?"
      description={<span className="font-serif">{entry.post.title}</span>}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="move-post" disabled={problem !== undefined}>
            Move it
          </Button>
        </>
      }
    >
      <form
        id="move-post"
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (at === undefined || problem !== undefined) return
          onMove(at)
          onClose()
        }}
      >
        <TimeFields value={time} problem={problem} onChange={setTime} />
        {problem === undefined && at !== undefined && <OtherClocks at={at} zone={OWN_ZONE} />}
      </form>
    </Dialog>
  )
}
