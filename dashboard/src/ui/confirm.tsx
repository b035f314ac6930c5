import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './notice.tsx'

type ConfirmProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The question, and what follows from saying yes. */
  title: string
  children: ReactNode
  /** What the button does, as a verb: "Delete 3 posts". */
  verb: string
  danger?: boolean
  /** The action. The dialog closes when it succeeds, and shows the message when it throws. */
  act: () => Promise<unknown>
}

/** Asks before an action that cannot be undone. */
export function Confirm({ open, onOpenChange, title, children, verb, danger = true, act }: ConfirmProps) {
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false })
  const change = (next: boolean) => {
    if (state.busy) return
    setState({ busy: false })
    onOpenChange(next)
  }
  const confirm = async () => {
    setState({ busy: true })
    try {
      await act()
      setState({ busy: false })
      onOpenChange(false)
    } catch (error) {
      setState({ busy: false, problem: error instanceof Error ? error.message : 'That did not work. Try again.' })
    }
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      actions={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={state.busy} onClick={confirm}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 text-quiet">
        {children}
        {state.problem !== undefined && <Notice tone="failed">{state.problem}</Notice>}
      </div>
    </Dialog>
  )
}
