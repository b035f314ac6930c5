import type { ConvertedBody } from '@postrider/sdk'
import { api } from '../../../api.ts'
import { isSame } from '../draft.ts'
import type { OpenPost } from '../saving/open-post.ts'

/**
 * The current text in all forms, as the service stores or would store it, and what it could not keep; nothing is changed. Of a text
 * that is stored no warnings are left: they came with the answer to its save.
 */
export async function convert(openPost: OpenPost): Promise<Omit<ConvertedBody, 'word_count'>> {
  const { draft, saved, post } = openPost.view()
  const { form, value } = draft.body
  if (post !== undefined && isSame(draft.body, saved.body)) return post.body
  return api.posts.convert({ [form]: value })
}
