/** Asks before something is taken away. */
import { TRASH_DAYS } from '@postrider/server/posts/policy'
import { useNavigate } from '@tanstack/react-router'
import { trashConsequence, undoTrash } from '../../posts/trash.ts'
import { queryClient } from '../../queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { toast } from '../../ui/toast.tsx'
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
      act={() => openPost.discard()}
    >
      <p>“{post?.title ?? draft.title}” goes back to what your sites have. What was changed since is gone.</p>
    </Confirm>
  )
}

/** Before the post is put into the trash, and what puts it there. */
export function ConfirmTrash({ openPost, view, open, onClose }: ConfirmationProps) {
  const navigate = useNavigate()
  const { post, draft } = view
  const title = draft.title.trim() || 'Untitled'
  const act = async () => {
    if (post === undefined || !(await openPost.trash())) throw new Error('The post could not be saved first.')
    await navigate({ to: '/posts' })
    await queryClient.invalidateQueries({ queryKey: ['posts'] })
    toast({ text: `“${title}” was moved to the trash.`, action: undoTrash([post.id]) })
  }
  return (
    <Confirm open={open} onOpenChange={onClose} title="Move the post to the trash?" verb="Move to the trash" act={act}>
      <p>
        {post && trashConsequence([post])} You can restore “<bdi>{title}</bdi>”, as a draft, for {TRASH_DAYS} days.
      </p>
    </Confirm>
  )
}
