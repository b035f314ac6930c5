import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sentence } from '../api.ts'
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
  const confirm = useMutation({ mutationFn: act, onSuccess: () => onOpenChange(false) })
  const change = (next: boolean) => {
    if (confirm.isPending) return
    confirm.reset()
    onOpenChange(next)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title={title}
      actions={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} busy={confirm.isPending} onClick={() => confirm.mutate()}>
            {verb}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 text-quiet">
        {children}
        {confirm.isError && <Notice tone="failed">{messageOf(confirm.error)}</Notice>}
      </div>
    </Dialog>
  )
}

/** An error made for people is shown as it is; the others are of the service, or of the browser that cannot reach it. */
function messageOf(error: Error): string {
  return error.constructor === Error ? error.message : sentence(error)
}
