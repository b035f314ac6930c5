/** Makes the same change to many posts. */
import type { ChangePosts, ListedPost } from '@postrider/sdk'
import { api, sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { undoTrash } from '../../posts/trash.ts'
import { queryClient } from '../../queries.ts'
import { toast } from '../../ui/toast.tsx'

/** The change made to each post. */
export type Change = Omit<ChangePosts, 'ids'>

/** The most posts that the service takes in one request. */
const AT_ONCE = 100

/**
 * Changes posts a hundred at a time; each hundred is changed completely or not at all, and `onChanged` gets its ids. Throws when one
 * hundred failed. `did` says what was done to them, for the message.
 */
export async function changePosts(
  posts: readonly ListedPost[],
  how: Change,
  did: string,
  onChanged: (ids: readonly string[]) => void,
): Promise<void> {
  const ids = posts.map(({ id }) => id)
  let changed = 0
  try {
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE)
      const done = await api.posts.bulk({ ...how, ids: some })
      changed += done.changed.length
      onChanged(some)
    }
  } catch (error) {
    const before = changed === 0 ? '' : `${counted(changed, 'post')} ${did}, and then this: `
    throw new Error(`${before}${sentence(error)}`, { cause: error })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['posts'] })
  }
  const missing = ids.length - changed
  const gone = missing === 0 ? '' : ` ${counted(missing, 'post')} had been deleted before.`
  // One message takes back one request.
  const undo = how.action === 'trash' && changed > 0 && ids.length <= AT_ONCE ? { action: undoTrash(ids) } : {}
  toast({ text: `${counted(changed, 'post')} ${did}.${gone}`, ...undo })
}
