/**
 * Reads posts from the service when a page asks for them: for sites that keep nothing. An answer is used until something has changed: a webhook
 * says what, and once a minute the digest of the site's posts says whether a webhook went to another process, or nowhere. When the service
 * cannot be asked, or the rate limit is reached, the last good answer is used.
 */
import type { PullClient } from '../pull.ts'
import { DEFAULT_LIMIT, type Posts } from './store.ts'

/** How often the digest is asked for, in milliseconds, and how many answers are kept. */
export type PullPostsOptions = { checkMs?: number; mostAnswers?: number }

type Answer = { value: Promise<unknown>; isStale: boolean }

/** Reads from the service; `forget` has what is known of these slugs, and all lists, asked for again. */
export function pullPosts(
  client: () => PullClient,
  { checkMs = 60_000, mostAnswers = 500 }: PullPostsOptions = {},
): Posts & { forget(slugs: readonly string[]): void } {
  const answers = new Map<string, Answer>()
  let known: { digest: string | undefined; askedAt: number } = { digest: undefined, askedAt: 0 }

  /** Nobody waits for it: who comes next gets what is new. */
  function check(): void {
    if (Date.now() - known.askedAt < checkMs) return
    const before = known.digest
    known = { digest: before, askedAt: Date.now() }
    client()
      .digest()
      .then(({ digest }) => {
        known.digest = digest
        if (before !== undefined && digest !== before) for (const answer of answers.values()) answer.isStale = true
      })
      .catch(() => undefined) // what is here is used until the service answers again
  }

  function remembered<Value>(key: string, ask: () => Promise<Value>): Promise<Value> {
    check()
    const here = answers.get(key)
    if (here !== undefined && !here.isStale) return here.value as Promise<Value>
    const value = ask().catch((error) => {
      answers.delete(key)
      if (here === undefined) throw error
      console.warn(`Postrider: ${error instanceof Error ? error.message : error} The last answer is used.`)
      answers.set(key, here)
      return here.value as Promise<Value>
    })
    answers.delete(key) // so that the oldest is first
    answers.set(key, { value, isStale: false })
    for (const oldest of answers.keys()) {
      if (answers.size <= mostAnswers) break
      answers.delete(oldest)
    }
    return value
  }

  return {
    async find(slug) {
      const { post } = await remembered(`post ${slug}`, () => client().lookUp(slug))
      return post
    },
    list: async ({ limit = DEFAULT_LIMIT, after = '1', tag } = {}) =>
      remembered(`list ${limit} ${after} ${tag ?? ''}`, async () => {
        const number = Number(after)
        if (!Number.isInteger(number) || number < 1) return { posts: [] }
        const page = { limit, page: number, ...(tag === undefined ? {} : { tag }) }
        const { posts, pages } = await client().list(page)
        return { posts, ...(number < pages ? { after: String(number + 1) } : {}) }
      }),
    forget(slugs) {
      // The webhook has told the change that the next digest will show.
      known = { digest: undefined, askedAt: known.askedAt }
      for (const [key, answer] of answers)
        if (key.startsWith('list ') || slugs.some((slug) => key === `post ${slug}`)) answer.isStale = true
    },
  }
}
