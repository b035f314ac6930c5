import { EgressError } from './failure.ts'
import { createLookup, type Lookup } from './lookup.ts'

/** Calls back once with the addresses of a name, at least one, or with an error. Never throws, has no deadline. */
export type Resolve = (hostname: string, done: (error: EgressError | undefined, addresses: string[]) => void) => void

/** A query older than this is no longer joined: the resolver may have lost it. */
const JOIN_WITHIN_MS = 5_000

type Question = { askedAtMs: number; waiting: Parameters<Resolve>[1][] }

/** Wraps a lookup so that concurrent callers for the same name share one query. Answers are not cached. */
export function createResolver(lookup: Lookup = createLookup(), nowMs = () => performance.now()): Resolve {
  const questions = new Map<string, Question>()

  return (hostname, done) => {
    const pending = questions.get(hostname)
    if (pending !== undefined && nowMs() - pending.askedAtMs < JOIN_WITHIN_MS) {
      pending.waiting.push(done)
      return
    }
    const question: Question = { askedAtMs: nowMs(), waiting: [done] }
    questions.set(hostname, question)
    const answer = (error: EgressError | undefined, addresses: string[]) => {
      if (questions.get(hostname) === question) questions.delete(hostname)
      for (const waiting of question.waiting.splice(0)) waiting(error, addresses)
    }
    try {
      lookup(hostname, { all: true }, (error, found) => {
        if (error !== null) return answer(dnsError(error), [])
        if (found.length === 0) return answer(new EgressError('dns_error', 'the host name has no address'), [])
        answer(
          undefined,
          found.map(({ address }) => address),
        )
      })
    } catch (error) {
      answer(dnsError(error), [])
    }
  }
}

/** Every resolver error is a DNS error; its code is short and says enough. */
function dnsError(error: unknown): EgressError {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'lookup failed'
  return new EgressError('dns_error', code)
}
