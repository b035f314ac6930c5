/** Putting posts into the trash, and taking them out again. */
import type { Post } from '@postrider/sdk'
import { api, sentence } from '../api.ts'
import { counted } from '../format.ts'
import { queryClient } from '../queries.ts'
import { type ToastMessage, toast } from '../ui/toast.tsx'

/** What happens to the sites of posts that are put into the trash; undefined: nothing, so nobody needs to be asked. */
export function trashConsequence(posts: ReadonlyArray<Pick<Post, 'status'>>): string | undefined {
  const them = posts.length === 1 ? 'it' : 'them'
  if (posts.some(({ status }) => status === 'published'))
    return `Sites that have ${them} will be asked to remove ${them}.`
  if (posts.some(({ status }) => status === 'scheduled')) return 'Nothing scheduled will go out.'
  return undefined
}

/** The button that takes posts out of the trash again. */
export function undoTrash(ids: readonly string[]): NonNullable<ToastMessage['action']> {
  return { label: 'Undo', act: () => void untrash(ids) }
}

async function untrash(ids: readonly string[]): Promise<void> {
  try {
    const { changed } = await api.posts.bulk({ action: 'untrash', ids: [...ids] })
    toast({ text: `${counted(changed.length, 'post')} restored as ${changed.length === 1 ? 'a draft' : 'drafts'}.` })
  } catch (error) {
    toast({ text: `Nothing was restored. ${sentence(error)}`, tone: 'failed' })
  }
  await queryClient.invalidateQueries({ queryKey: ['posts'] })
}
