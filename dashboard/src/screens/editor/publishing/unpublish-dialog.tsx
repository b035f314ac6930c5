/** Takes a published post off its sites, now or later. */
import { useState } from 'react'
import { instantOf } from '../../../schedule/zoned.ts'
import { Radio } from '../../../ui/choice.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { chosenZone } from './chosen-zone.ts'
import { problemOfEnd, proposedEnd, UntilFields, untilOf } from './until.tsx'

type UnpublishDialogProps = { openPost: OpenPost; view: View; onClose: () => void }

/** The open dialog. */
export function UnpublishDialog({ openPost, view, onClose }: UnpublishDialogProps) {
  const title = view.draft.title.trim() || 'Untitled'
  const [planned] = useState(view.post?.unpublish_at ?? null)
  const [when, setWhen] = useState<'now' | 'later' | 'never'>(planned === null ? 'now' : 'later')
  const [until, setUntil] = useState(() => untilOf(planned, chosenZone()) ?? proposedEnd(Date.now(), chosenZone()))
  const act = async () => {
    if (when === 'now') return openPost.command({ status: 'draft' })
    if (when === 'never') return openPost.arrange({ unpublish_at: null })
    const at = instantOf(until)
    if (at === undefined || problemOfEnd(until, undefined) !== undefined)
      throw new Error('Choose a time in the future.')
    return openPost.arrange({ unpublish_at: new Date(at).toISOString() })
  }
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title="Take the post off its sites?"
      verb={when === 'now' ? 'Unpublish' : 'Save'}
      danger={when === 'now'}
      act={act}
    >
      <p>
        The sites that have “<bdi>{title}</bdi>” will be asked to remove it, and it becomes a draft again, with all that
        is written here.
      </p>
      <fieldset className="grid gap-2 text-ink">
        <legend className="mb-2 font-[550]">When</legend>
        <Radio name="unpublish" label="Now" checked={when === 'now'} onChange={() => setWhen('now')} />
        <Radio name="unpublish" label="Later" checked={when === 'later'} onChange={() => setWhen('later')} />
        {when === 'later' && (
          <div className="my-1 pl-3">
            <UntilFields value={until} onChange={setUntil} />
          </div>
        )}
        {planned !== null && (
          <Radio
            name="unpublish"
            label="Not at all"
            hint="It stays on its sites."
            checked={when === 'never'}
            onChange={() => setWhen('never')}
          />
        )}
      </fieldset>
    </Confirm>
  )
}
