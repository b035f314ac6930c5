/** An open post as the service has it: the post, and the changes to it that are not published (its working copy). */
import type { PostriderClient, PostWithDeliveries, WorkingCopy } from '@postrider/sdk'
import { unlessMissing } from '../../../api.ts'
import type { Content } from '../draft.ts'

export type Stored = { post: PostWithDeliveries; workingCopy?: WorkingCopy | undefined }

/** What is edited: the changes where there are some. */
export function contentOf({ post, workingCopy }: Stored): Content {
  return workingCopy ?? post
}

/** By what the service recognises whoever has seen this. */
export function tagOf({ post, workingCopy }: Stored): string | number {
  return workingCopy?.save_id ?? post.version
}

/** Whether this is news for whoever knows that: an answer may be of a time before the last save. */
export function isNews({ post, workingCopy }: Stored, known: Stored): boolean {
  if (post.version !== known.post.version) return post.version > known.post.version
  return workingCopy !== undefined && workingCopy.saved_at > (known.workingCopy?.saved_at ?? '')
}

/** Reads a post, and its working copy if it has one. */
export async function readStored(api: PostriderClient['posts'], id: string): Promise<Stored> {
  const post = await api.get(id)
  return post.has_changes ? { post, workingCopy: await unlessMissing(api.workingCopy.get(id)) } : { post }
}
