/** Working copies: changes to a post that are kept on the service until somebody publishes them. */
import type { PostriderClient } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

let client: PostriderClient
let site: Receiver
let id: string
beforeEach(async () => {
  client = await newAccount(service)
  site = await startReceiver()
  await connectSite(client, site)
  const input = {
    title: 'Bread',
    slug: 'bread',
    excerpt: 'Short.',
    meta: { title: 'Loaf' },
    body: { markdown: 'Mix.' },
  }
  ;({ id } = await client.posts.create({ ...input, status: 'published' }))
  await service.drain()
  return () => site.close()
})

const copy = () => client.posts.workingCopy
const NONE = { status: 404 }
const CHANGED = { status: 412 }

describe('changes that are not published', () => {
  it('are kept beside the post, which stays as it is', async () => {
    const before = await client.posts.get(id)
    const saved = await copy().save(id, { title: 'Better bread', body: { markdown: 'Mix **well**.' } })
    expect(saved).toMatchObject({ based_on: 1, title: 'Better bread', slug: 'bread', excerpt: 'Short.' })
    expect(saved.body.html).toBe('<p>Mix <strong>well</strong>.</p>')
    expect(await copy().get(id)).toEqual(saved)
    await service.drain()
    expect(site.received).toHaveLength(1)
    expect(await client.posts.get(id)).toEqual({ ...before, has_changes: true })
    expect((await client.posts.summaries()).data).toMatchObject([{ has_changes: true, title: 'Bread', version: 1 }])
    expect((await client.posts.list()).data).toMatchObject([{ has_changes: true }])
  })

  it('are replaced by the next ones: what is left out is as in the post', async () => {
    await copy().save(id, { title: 'Better bread', meta: { description: 'How to.' } })
    const saved = await copy().save(id, { excerpt: 'Shorter.', meta: { title: null } })
    expect(saved).toMatchObject({ title: 'Bread', excerpt: 'Shorter.', meta: {} })
  })

  it('are published as one change of the post', async () => {
    const { save_id } = await copy().save(id, { title: 'Better bread', slug: 'better-bread', meta: { title: null } })
    const published = await copy().publish(id, save_id)
    expect(published).toMatchObject({
      version: 2,
      title: 'Better bread',
      slug: 'better-bread',
      meta: {},
      has_changes: false,
    })
    await service.drain()
    const post = { title: 'Better bread', previous_slugs: ['bread'] }
    expect(site.received.at(-1)?.json).toMatchObject({ event: 'post.updated', post })
    expect(site.received).toHaveLength(2)
    await expect(copy().get(id)).rejects.toMatchObject(NONE)
    await expect(copy().publish(id)).rejects.toMatchObject(NONE)
    expect((await client.posts.revisions(id)).revisions).toHaveLength(2)
  })

  it('can be discarded', async () => {
    const { save_id } = await copy().save(id, { title: 'Worse bread' })
    await copy().discard(id, save_id)
    await expect(copy().get(id)).rejects.toMatchObject(NONE)
    await expect(copy().discard(id)).rejects.toMatchObject(NONE)
    expect(await client.posts.get(id)).toMatchObject({ title: 'Bread', version: 1, has_changes: false })
  })

  it('are not lost to another client that has not seen them', async () => {
    const first = await copy().save(id, { title: 'Mine' }, 1)
    await expect(copy().save(id, { title: 'Theirs' }, 1)).rejects.toMatchObject(CHANGED)
    const second = await copy().save(id, { title: 'Mine again' }, first.save_id)
    for (const seen of [1, first.save_id]) {
      await expect(copy().save(id, { title: 'Theirs' }, seen)).rejects.toMatchObject(CHANGED)
      await expect(copy().discard(id, seen)).rejects.toMatchObject(CHANGED)
      await expect(copy().publish(id, seen)).rejects.toMatchObject(CHANGED)
    }
    await copy().discard(id, second.save_id)
    await expect(copy().save(id, { title: 'Theirs' }, second.save_id)).rejects.toMatchObject(CHANGED)
    await copy().save(id, { title: 'Theirs' }, 1)
  })

  it('are not published over a change that came after them, until they are based on it', async () => {
    await copy().save(id, { title: 'Mine', excerpt: 'Mine.' })
    await client.posts.update(id, { title: 'Theirs' })
    await expect(copy().publish(id)).rejects.toMatchObject({ status: 409, field: 'based_on' })
    expect(await copy().get(id)).toMatchObject({ based_on: 1, title: 'Mine' })
    // A client that does not say what it has compared changes nothing about that.
    await copy().save(id, { title: 'Mine', excerpt: 'Mine.' })
    await expect(copy().publish(id)).rejects.toMatchObject({ status: 409 })
    await copy().save(id, { title: 'Theirs', excerpt: 'Mine.', based_on: 2 })
    expect(await copy().publish(id)).toMatchObject({ version: 3, title: 'Theirs', excerpt: 'Mine.' })
    await expect(copy().save(id, { title: 'x', based_on: 4 })).rejects.toMatchObject({ status: 400, field: 'based_on' })
  })

  it('stay publishable when the post is unpublished and published again', async () => {
    await copy().save(id, { title: 'Better bread' })
    await client.posts.update(id, { status: 'draft' })
    await client.posts.publish(id)
    expect(await copy().publish(id)).toMatchObject({ title: 'Better bread', status: 'published' })
  })

  it('survive the trash', async () => {
    await copy().save(id, { title: 'Better bread' })
    await client.posts.trash(id)
    await expect(copy().get(id)).rejects.toMatchObject(NONE)
    expect(await client.posts.untrash(id)).toMatchObject({ has_changes: true, status: 'draft' })
    expect(await copy().publish(id)).toMatchObject({ title: 'Better bread', status: 'draft' })
  })

  it('stay when their slug turns out to be taken', async () => {
    await client.posts.create({ title: 'x', slug: 'taken' })
    await copy().save(id, { slug: 'taken' })
    await expect(copy().publish(id)).rejects.toMatchObject({ status: 409, field: 'slug' })
    expect(await copy().get(id)).toMatchObject({ slug: 'taken' })
    expect(await client.posts.get(id)).toMatchObject({ slug: 'bread', has_changes: true })
  })

  it('say what the conversion of their text could not keep', async () => {
    const saved = await copy().save(id, { body: { html: '<p>a<object data="x"></object></p>' } })
    expect(saved.warnings).toMatchObject([{ code: 'media_removed' }])
  })
})

/** A client: the tag of what it has read, the version that its words are based on, and its words, saved or not. */
type Tab = { seen: number | string; base: number; words: string[] }

const ACTIONS = ['write', 'write', 'save', 'save', 'publish', 'change', 'restore', 'discard'] as const

/** Numbers that look random and are the same each time. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % below
  }
}

const wordsOf = (markdown: string) => markdown.split(/\s+/).filter((word) => /^w\d+$/.test(word))

describe('two clients that write into the same post', () => {
  it.each([1, 2, 3, 4])('lose no word but what they discard, whatever they do (sequence %i)', async (seed) => {
    const random = numbersOf(seed)
    const written: string[] = []
    const discarded = new Set<string>()
    const read = async (): Promise<Tab> => {
      const { has_changes, version, body } = await client.posts.get(id)
      if (!has_changes) return { seen: version, base: version, words: wordsOf(body.markdown) }
      const saved = await copy().get(id)
      // Whoever reads both has compared them: a word of either stays.
      return {
        seen: saved.save_id,
        base: version,
        words: [...new Set([...wordsOf(body.markdown), ...wordsOf(saved.body.markdown)])],
      }
    }
    const readBeside = async ({ words }: Tab): Promise<Tab> => {
      const fresh = await read()
      return { ...fresh, words: [...new Set([...fresh.words, ...words])].filter((word) => !discarded.has(word)) }
    }
    const act: Record<(typeof ACTIONS)[number], (tab: Tab, step: number) => Promise<Tab>> = {
      async write(tab, step) {
        written.push(`w${step}`)
        return { ...tab, words: [...tab.words, `w${step}`] }
      },
      async save(tab) {
        const changes = { body: { markdown: tab.words.join(' ') }, based_on: tab.base }
        return { ...tab, seen: (await copy().save(id, changes, tab.seen)).save_id }
      },
      async publish(tab) {
        await copy().publish(id, tab.seen)
        return readBeside(tab)
      },
      async change(tab, step) {
        await client.posts.update(id, { excerpt: `Excerpt ${step}` })
        return tab
      },
      async restore(tab) {
        await client.posts.restore(id, 1)
        return tab
      },
      async discard(tab) {
        await copy().discard(id, tab.seen)
        for (const word of tab.words) discarded.add(word)
        return read()
      },
    }
    const tabs = [await read(), await read()]
    const done: string[] = []
    for (let step = 0; step < 80; step += 1) {
      const which = random(2)
      const tab = tabs[which] as Tab
      const what = ACTIONS[random(ACTIONS.length)] ?? 'write'
      try {
        tabs[which] = await act[what](tab, step)
        done.push(what)
      } catch (error) {
        expect((error as { status: number }).status).toBeOneOf([404, 409, 412])
        tabs[which] = await readBeside(tab)
        done.push(`${what} refused`)
      }
    }
    const kept = new Set(tabs.flatMap(({ words }) => words))
    for (const word of (await read()).words) kept.add(word)
    for (const { version } of (await client.posts.revisions(id, { limit: 100 })).revisions)
      for (const word of wordsOf((await client.posts.revision(id, version)).body.markdown)) kept.add(word)
    expect(written.filter((word) => !kept.has(word) && !discarded.has(word))).toEqual([])
    expect(done).toEqual(expect.arrayContaining(['save', 'save refused', 'publish', 'publish refused', 'discard']))
  })
})
