/** The text of a post in another form than the one it is written in, without changing it. */
import { api } from '../../../api.ts'
import { type Body, type Form, isSame } from '../draft.ts'
import type { OpenPost } from '../saving/open-post.ts'

/** The current text in a form: as typed, as the service stores it, or as the service would convert it. */
export async function formOf(openPost: OpenPost, form: Form): Promise<Body['value']> {
  for (;;) {
    const { draft, saved, post } = openPost.view()
    const { body } = draft
    if (body.form === form) return body.value
    if (post !== undefined && isSame(body, saved.body)) return post.body[form]
    const converted = await api.posts.convert({ [body.form]: body.value })
    if (openPost.view().draft.body === body) return converted[form]
  }
}

/** The current text as sites get it: typed HTML is sanitised first. */
export async function htmlOf(openPost: OpenPost): Promise<string> {
  const { draft, saved, post } = openPost.view()
  const { body } = draft
  if (post !== undefined && isSame(body, saved.body)) return post.body.html
  return (await api.posts.convert({ [body.form]: body.value })).html
}
