/**
 * Requests nobody would write, generated from the API's document: whatever comes, the answer is one that the document
 * describes, and never an error of the service.
 *
 * `npm run fuzz` runs it for long. FUZZ_RUNS is the number of requests per operation, FUZZ_SEED what they are made from;
 * both are printed, and the same seed makes the same requests.
 */
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requestsTo } from './fuzz/requests.ts'
import { type Answer, type Stage, setStage } from './fuzz/stage.ts'
import { readContract } from './support/contract.ts'
import { type Operation, operations } from './support/operations.ts'

const RUNS = Number(process.env.FUZZ_RUNS ?? 30)
const SEED = Number(process.env.FUZZ_SEED ?? 1)

const contract = readContract()
let stage: Stage

beforeAll(async () => {
  console.log(`FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`)
  stage = await setStage()
})
beforeEach(() => stage.reset())
afterAll(() => stage.close())
afterEach(async () => {
  await stage.service.caughtUp()
  expect(stage.service.logged.splice(0).filter(({ level }) => level === 'error')).toEqual([])
})

/** A sentence for people, as every message has to be one. */
const SENTENCE = /^["“A-Z_a-z].*[.?!]$/s

/** Answers of requests that were counted, whatever came of them; a 401 or 403 may come before, a 404 from no route. */
const COUNTED = new Set([200, 201, 202, 204, 304, 400, 409, 412, 413, 415])

/** What is wrong with an answer. */
function problemsOf(one: Operation, { status, headers, text }: Answer): string[] {
  if (status >= 500) return [`${one.name} answered ${status}: ${text}`]
  if (one.streams && status === 200) return []
  const isFile = headers.get('content-type') === 'application/zip'
  const isJson = text === '' || isFile || headers.get('content-type') === 'application/json'
  const body = text === '' || isFile ? undefined : JSON.parse(text)
  const message = status < 400 || SENTENCE.test(body?.message) ? [] : [`"${body?.message}" is no sentence`]
  const field = status !== 400 || typeof body?.field === 'string' ? [] : ['a 400 names no field']
  return [
    ...contract.answer(one.name, status, { headers, body }),
    ...(isJson ? [] : [`the content type is ${headers.get('content-type')}`]),
    ...(headers.has('ratelimit-remaining') || !COUNTED.has(status) ? [] : ['it was not counted']),
    ...message,
    ...field,
  ]
}

describe('any request', () => {
  it.each(operations.map((one) => ({ name: one.name, one })))(
    'to $name is answered as the document says',
    { timeout: 30_000 + RUNS * 1_000 },
    async ({ one }) => {
      const statuses: Record<number, number> = {}
      await fc.assert(
        fc.asyncProperty(requestsTo(one), async (draft) => {
          const answer = await stage.send(one, draft)
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
          expect(problemsOf(one, answer)).toEqual([])
        }),
        { numRuns: RUNS, seed: SEED },
      )
      // Requests that are all refused would prove little.
      expect(Object.keys(statuses).filter((status) => Number(status) < 400)).not.toEqual([])
    },
  )
})
