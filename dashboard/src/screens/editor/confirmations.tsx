/** Asks before something is taken away. */
import { Confirm } from '../../ui/confirm.tsx'
import type { View } from './saving/edit-state.ts'
import type { OpenPost } from './saving/open-post.ts'

type ConfirmationProps = { openPost: OpenPost; view: View; open: boolean; onClose: () => void }

/** Before the changes to a published post are discarded. */
export function ConfirmDiscard({ openPost, view, open, onClose }: ConfirmationProps) {
  const { post, draft } = view
  return (
    <Confirm
      open={open}
      onOpenChange={onClose}
      title="Discard your changes?"
      verb="Discard changes"
      act={async () => openPost.discard()}
    >
      <p>“{post?.title ?? draft.title}” goes back to what your sites have. What was changed here since is gone.</p>
    </Confirm>
  )
}
