import { useState } from 'react'
import { sentence } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Radio } from '../../ui/choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Change } from './change.ts'

type TagDialogProps = {
  /** "3 posts". */
  many: string
  onOpenChange: (open: boolean) => void
  /** `did`: what was done, for the message afterwards. */
  act: (how: Change, did: string) => Promise<void>
}

/** Puts a tag on the chosen posts, or takes it away. */
export function TagDialog({ many, onOpenChange, act }: TagDialogProps) {
  const [state, setState] = useState<{ busy: boolean; problem?: string }>({ busy: false })
  const submit = async (form: FormData) => {
    const action = textOf(form, 'action') === 'untag' ? 'untag' : 'tag'
    const tag = textOf(form, 'tag').trim()
    if (tag === '') return setState({ busy: false, problem: 'Write the tag.' })
    // The field of a post ends a tag there. Other programs may have made such a tag, so it can be taken away.
    if (action === 'tag' && tag.includes(','))
      return setState({ busy: false, problem: 'One tag at a time, without a comma.' })
    setState({ busy: true })
    try {
      await act({ action, tag }, action === 'tag' ? `tagged “${tag}”` : `freed of the tag “${tag}”`)
      onOpenChange(false)
    } catch (error) {
      setState({ busy: false, problem: error instanceof Error ? error.message : sentence(error) })
    }
  }
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={`Tag ${many}`}
      actions={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button kind="primary" type="submit" form="tag-posts" busy={state.busy}>
            Change the tags
          </Button>
        </>
      }
    >
      <form
        id="tag-posts"
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label="Tag" hint="Sites that have the posts get the change.">
          <Input name="tag" maxLength={64} autoComplete="off" />
        </Field>
        <div className="grid gap-2">
          <Radio name="action" value="tag" label="Add it" defaultChecked />
          <Radio name="action" value="untag" label="Take it away" />
        </div>
        {state.problem !== undefined && <Notice tone="failed">{state.problem}</Notice>}
      </form>
    </Dialog>
  )
}
