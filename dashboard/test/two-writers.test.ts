/**
 * Two people write the same post, each in a browser of their own, and press whatever there is: no word that one of them wrote is lost. It is in the
 * post, in its unpublished changes, in one of its versions, on its writer's screen or in the copy in the writer's browser; unless a
 * person, who was shown both sides, decided for the other one.
 */
import { createClient, type PostriderClient } from '@postrider/sdk'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newAccount, startService, type TestService, tokenOf } from '../../server/test/support/service.ts'
import type { Draft, Field } from '../src/screens/editor/draft.ts'
import type { Copy, Shelf } from '../src/screens/editor/saving/draft-shelf.ts'
import type { OpenPost as OpenPostType } from '../src/screens/editor/saving/open-post.ts'

// The client of the page is made for the page's address.
vi.stubGlobal('location', { origin: 'https://postrider.example' })
const { OpenPost } = await import('../src/screens/editor/saving/open-post.ts')
const { readStored } = await import('../src/screens/editor/saving/stored.ts')

const FIELDS = ['title', 'excerpt', 'body'] as const
type Written = (typeof FIELDS)[number]

/** What somebody does: writes a word, presses a button, sees what the other one did, or decides a conflict. */
type Step = { who: 0 | 1 } & (
  | { does: 'writes'; field: Written }
  | { does: 'saves' | 'updates' | 'publishes' | 'unpublishes' | 'goes back' | 'sees' | 'reloads' }
  | { does: 'decides'; theirs: readonly Written[] }
)

const who = fc.constantFrom<0 | 1>(0, 1)
const field = fc.constantFrom(...FIELDS)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who, does: fc.constant('writes' as const), field }) },
  {
    weight: 6,
    arbitrary: fc.record({
      who,
      does: fc.constantFrom('saves', 'updates', 'publishes', 'unpublishes', 'goes back', 'sees', 'reloads'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ who, does: fc.constant('decides' as const), theirs: fc.subarray([...FIELDS]) }) },
) as fc.Arbitrary<Step>

/** A word, who wrote it and where; `given`: a person decided against it. */
type Word = { text: string; who: 0 | 1; field: Written; given: boolean }

const textOf = (draft: Draft, of: Written): string => (of === 'body' ? String(draft.body.value) : draft[of])

/** A browser with its storage and the post that is open in it. */
class Writer {
  readonly copies = new Map<string, Copy>()
  readonly #api: PostriderClient['posts']
  readonly #id: string
  post!: OpenPostType

  constructor(client: PostriderClient, id: string) {
    this.#api = client.posts
    this.#id = id
  }

  /** Opens the post as the page does: with what the service has, and what is left in this browser. */
  async open(): Promise<void> {
    const { copies } = this
    const shelf: Shelf = {
      read: (id) => copies.get(id),
      write: (id, copy) => Boolean(copies.set(id, structuredClone(copy))),
      remove: (id) => void copies.delete(id),
      all: () => [],
    }
    const context = { api: this.#api, shelf, onCreated() {}, onStored() {}, onSignedOut() {} }
    this.post = new OpenPost(this.#id, await readStored(this.#api, this.#id), context)
  }

  /** The texts that are here and may be nowhere else. */
  here(): string {
    const { draft, conflict } = this.post.view()
    return JSON.stringify([draft, conflict?.merged, [...this.copies.values()]])
  }
}

let service: TestService
let client: PostriderClient
beforeAll(async () => {
  service = await startService()
  const first = await newAccount(service)
  client = createClient({ baseUrl: service.url, token: await tokenOf(service, first) })
})
afterAll(async () => {
  await service.stop()
  vi.unstubAllGlobals()
})

/** Everything that the service knows of the post. */
async function stored(id: string): Promise<string> {
  const known = await readStored(client.posts, id)
  const { revisions } = await client.posts.revisions(id, { limit: 100 })
  const versions = revisions.map(({ version }) => version).filter((version) => version !== known.post.version)
  return JSON.stringify([known, await Promise.all(versions.map((version) => client.posts.revision(id, version)))])
}

async function tell(steps: readonly Step[]): Promise<void> {
  const { id } = await client.posts.create({ title: 'Start', excerpt: 'Start', body: { markdown: 'Start' } })
  const writers = [new Writer(client, id), new Writer(client, id)] as const
  for (const one of writers) await one.open()
  const words: Word[] = []
  for (const one of steps) {
    service.clock.advance(1_000) // the service tells what is newer by its clock
    await take(one, id, writers, words)
    const [onService, ...here] = [await stored(id), writers[0].here(), writers[1].here()]
    const lost = words.filter(
      ({ text, who: by, given }) => !given && !onService.includes(text) && !here[by]?.includes(text),
    )
    expect(lost).toEqual([])
  }
}

async function take(one: Step, id: string, writers: readonly [Writer, Writer], words: Word[]): Promise<void> {
  const { post } = writers[one.who]
  const refused = () => false // 409 or 412: the view or a message says why, and what was written is where it was
  if (one.does === 'writes') {
    const text = `w${words.length}w`
    words.push({ text, who: one.who, field: one.field, given: false })
    const longer = `${textOf(post.view().draft, one.field)} ${text}`
    post.change(one.field === 'body' ? { body: { form: 'markdown', value: longer } } : { [one.field]: longer })
    post.keep()
  } else if (one.does === 'saves') await post.save()
  else if (one.does === 'updates') await post.update().catch(refused)
  else if (one.does === 'publishes') await post.command({ status: 'published' }).catch(refused)
  else if (one.does === 'unpublishes') await post.command({ status: 'draft' }).catch(refused)
  else if (one.does === 'goes back') await post.restore(1).catch(refused)
  else if (one.does === 'sees') post.observe(await readStored(client.posts, id))
  else if (one.does === 'reloads') {
    post.leave()
    await post.save()
    await writers[one.who].open()
  } else if (one.does === 'decides') await decide(post, one.theirs, words)
}

/** Decides a conflict. What is in the side that was not taken, and in no other, is given up. */
async function decide(post: OpenPostType, wanted: readonly Written[], words: Word[]): Promise<void> {
  const { conflict } = post.view()
  if (conflict === undefined) return
  const theirs = wanted.filter((one) => conflict.fields.includes(one)) // only those are shown
  for (const word of words) {
    if (!conflict.fields.includes(word.field as Field)) continue
    const mine = textOf(conflict.merged, word.field)
    const other = word.field === 'body' ? conflict.theirs.body.markdown : conflict.theirs[word.field]
    const dropped = theirs.includes(word.field) ? mine : other
    const taken = theirs.includes(word.field) ? other : mine
    if (dropped.includes(word.text) && !taken.includes(word.text)) word.given = true
  }
  await post.resolve(theirs)
}

describe('two people who write one post', () => {
  it('lose no word, whatever they press', { timeout: 600_000 }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), tell), {
      numRuns: 40,
      seed: 20261129,
    })
  })
})
