/**
 * Reads posts from the service when a page asks for them: for sites that keep nothing. An answer is used for a while, and for as long as the
 * service cannot be reached: the last good one is better than none.
 */
import type { PullClient } from '../pull.ts'
import { DEFAULT_LIMIT, type Posts } from './store.ts'

/** How long an answer is used before it is asked for again, in milliseconds, and how many are kept. */
export type PullPostsOptions = { freshMs?: number; mostAnswers?: number }

type Answer = { value: Promise<unknown>; until: number; last: unknown }

/** Reads from the service; `forget` has everything asked for again, as when a webhook said that something changed. */
export function pullPosts(
  client: () => PullClient,
  { freshMs = 60_000, mostAnswers = 500 }: PullPostsOptions = {},
): Posts & { forget(): void } {
  const answers = new Map<string, Answer>()

  function remembered<Value>(key: string, ask: () => Promise<Value>): Promise<Value> {
    const here = answers.get(key)
    if (here !== undefined && here.until > Date.now()) return here.value as Promise<Value>
    const last = here?.last
    const answer: Answer = { value: Promise.resolve(last), until: Date.now() + freshMs, last }
    answer.value = ask().then(
      (value) => {
        answer.last = value
        return value
      },
      (error) => {
        if (last === undefined) {
          answers.delete(key)
          throw error
        }
        console.warn(`Postrider: ${error instanceof Error ? error.message : error} The last answer is used.`)
        return last as Value
      },
    )
    answers.delete(key) // so that the oldest is first
    answers.set(key, answer)
    for (const oldest of answers.keys()) {
      if (answers.size <= mostAnswers) break
      answers.delete(oldest)
    }
    return answer.value as Promise<Value>
  }

  return {
    find: (slug) => remembered(`post ${slug}`, () => client().lookUp(slug)).then(({ post }) => post),
    list: ({ limit = DEFAULT_LIMIT, after = '1', tag } = {}) =>
      remembered(`list ${limit} ${after} ${tag ?? ''}`, async () => {
        const number = Number(after)
        const { posts, pages } = await client().list({ limit, page: number, ...(tag === undefined ? {} : { tag }) })
        return { posts, ...(number < pages ? { after: String(number + 1) } : {}) }
      }),
    forget() {
      for (const answer of answers.values()) answer.until = 0
    },
  }
}
