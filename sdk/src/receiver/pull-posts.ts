/**
 * Reads posts from the service when a page asks for them: for sites that keep nothing. An answer is used until something has changed: a webhook
 * says what, and once a minute the digest of the site's posts says whether anything has. It does not say what: a webhook may have gone to
 * another process, or nowhere, so then everything is asked for again when a page needs it. When the service cannot be asked, or the rate
 * limit is reached, the last good answer is used.
 */
import type { PullClient } from '../pull.ts'
import { DEFAULT_LIMIT, type Posts } from './store.ts'

/** How often the digest is asked for, in milliseconds, and how many answers are kept. */
export type PullPostsOptions = { checkMs?: number; mostAnswers?: number }

/** How long a page waits for the digest, in milliseconds. */
const LONGEST_CHECK_MS = 2_000

type Answer = { value: Promise<unknown>; isStale: boolean }

/** Reads from the service; `forget` has what is known of these slugs, and all lists, asked for again. */
export function pullPosts(
  client: () => PullClient,
  { checkMs = 60_000, mostAnswers = 2_000 }: PullPostsOptions = {},
): Posts & { forget(slugs: readonly string[]): void } {
  const answers = new Map<string, Answer>()
  let known: string | undefined
  let askedAt = 0

  /** Whoever comes first after a while waits for it: hosts such as Cloudflare end what is left to do once a request is answered. */
  async function check(): Promise<void> {
    if (Date.now() - askedAt < checkMs) return
    askedAt = Date.now()
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), LONGEST_CHECK_MS)
    try {
      const { digest } = await client().digest({ signal: waiting.signal })
      if (known !== undefined && digest !== known) for (const answer of answers.values()) answer.isStale = true
      known = digest
    } catch {
      // What is here is used until the service answers again.
    } finally {
      clearTimeout(timer)
    }
  }

  async function remembered<Value>(key: string, ask: () => Promise<Value>): Promise<Value> {
    await check()
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
      for (const [key, answer] of answers)
        if (key.startsWith('list ') || slugs.some((slug) => key === `post ${slug}`)) answer.isStale = true
    },
  }
}
