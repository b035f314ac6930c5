/** kill -9 of a service that imports, undoes that, takes pictures, and gives a post what it was. */
import { createHash, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type ImportWithReport, type PostriderClient } from '@postrider/sdk'
import { sql } from 'kysely'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/platform/config.ts'
import { archiveOf } from '../support/archive.ts'
import { manualClock } from '../support/clock.ts'
import { pngOf } from '../support/pictures.ts'
import { startProcess } from '../support/process.ts'
import type { KillOptions } from './kill.ts'

const POSTS = 300
const PICTURES = 8
/** Fewer than the versions that are kept of a post that no site was sent. */
const RESTORES_OF_ONE = 20
const LIFE_MS = { least: 100, most: 6_000 }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Told = { address: string; sha256: string }
/** What a run finds wrong, and how often something was done. */
type Findings = {
  lost: string[]
  twice: number
  imports: number
  undone: number
  pictures: Told[]
  restored: number
  /** What the client of imports is about. */
  doing: 'reads' | 'looks' | 'runs' | 'undoes' | 'counts'
}
/** The client of whichever process lives, and whether the run is over. */
type Place = { client(): PostriderClient; isOver(): boolean }

/**
 * kill -9 at random moments while a client imports an archive of 300 posts with eight pictures and undoes that, again and again, another
 * uploads pictures, and a third changes a post and gives it back what it was.
 * `acknowledged` are posts of imports that said they were complete, and pictures; `lost` those that are not there (or are still there
 * when an import says that it is undone); `unexplainedRepeats` are posts that are there twice, and files that nothing names a day later.
 */
export async function killImporting({ kills, env, random, onRound }: KillOptions) {
  const settings = { ...env, RATE_LIMIT_AUTH: 'off', RATE_LIMIT_STARTER: 'off' }
  let service = await startProcess(settings)
  const person = { name: 'Ada', email: `importing-${randomUUID()}@example.com`, password: 'correct horse' }
  const { token } = await createClient({ baseUrl: service.url }).auth.register(person)
  const found: Findings = { lost: [], twice: 0, imports: 0, undone: 0, pictures: [], restored: 0, doing: 'reads' }
  const killedWhile: Record<string, number> = {}
  let over = false
  const place = { client: () => createClient({ baseUrl: service.url, token }), isOver: () => over }
  const clients = [importing(place, found), uploading(place, found), restoring(place, found)]
  for (let round = 1; round <= kills; round += 1) {
    await sleep(LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least))
    await service.kill()
    killedWhile[found.doing] = (killedWhile[found.doing] ?? 0) + 1
    service = await startProcess(settings)
    onRound?.(round)
  }
  over = true
  await Promise.all(clients)
  for (const told of found.pictures) {
    const answer = await fetch(told.address.replace(/^https?:\/\/[^/]+/, service.url))
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (createHash('sha256').update(bytes).digest('hex') !== told.sha256) found.lost.push(told.address)
  }
  await service.end('SIGTERM')
  const filesLeft = await filesWithoutNames(settings)
  const acknowledged = found.imports * POSTS + found.pictures.length
  return {
    kills,
    acknowledged,
    delivered: acknowledged - found.lost.length,
    lost: found.lost,
    repeats: found.twice,
    unexplainedRepeats: found.twice + filesLeft,
    ...{ imports: found.imports, undone: found.undone, pictures: found.pictures.length, restored: found.restored },
    ...{ filesLeft, killedWhile },
  }
}

/** Imports and undoes until the run is over, and looks each time what there is. */
async function importing(place: Place, found: Findings): Promise<void> {
  const title = (index: number) => `Post ${index}`
  const files = Array.from({ length: POSTS }, (_, index) => [
    `posts/${index}.md`,
    `---\ntitle: ${title(index)}\ndate: 2020-01-01\n---\n![](of-${index % PICTURES}.png)\n${'A sentence with *emphasis*. '.repeat(40)}\n`,
  ])
  const pictures = await Promise.all(
    Array.from({ length: PICTURES }, async (_, index) => [`posts/of-${index}.png`, await pngOf(`#ff00${index}0`)]),
  )
  const file = new Blob([await archiveOf(Object.fromEntries([...files, ...pictures]))])
  const library = async () => (await insist(place, (client) => client.media.list({ search: 'of-' }))).media.length
  const titles = async () => {
    const pages = Array.from({ length: POSTS / 100 + 1 }, (_, index) => index + 1)
    const all: string[] = []
    for (const page of pages)
      all.push(
        ...(await insist(place, (client) => client.posts.list({ limit: 100, page }))).data.map((one) => one.title),
      )
    return all.filter((one) => /^Post \d+$/.test(one)) // not those of the client that restores
  }
  while (!place.isOver()) {
    found.doing = 'reads'
    const { import_id: id } = await insist(place, (client) => client.imports.create(file))
    found.doing = 'looks'
    await until(place, id, 'ready')
    found.doing = 'runs'
    await insist(place, (client) => unlessDone(client.imports.run(id)))
    await until(place, id, 'complete')
    found.imports += 1
    found.doing = 'counts'
    const there = await titles()
    for (let index = 0; index < POSTS; index += 1) if (!there.includes(title(index))) found.lost.push(title(index))
    found.twice += there.length - new Set(there).size
    const inLibrary = await library()
    if (inLibrary < PICTURES) found.lost.push(`${PICTURES - inLibrary} pictures of the archive`)
    found.twice += Math.max(0, inLibrary - PICTURES)
    found.doing = 'undoes'
    await insist(place, async (client) => {
      // A second call would forget an import that is undone already.
      if ((await client.imports.get(id)).status === 'complete') await client.imports.delete(id)
    })
    await until(place, id, 'undone')
    found.undone += 1
    found.doing = 'counts'
    found.lost.push(...(await titles()).map((one) => `${one}, which was undone`))
    found.twice += await library()
  }
}

/** Uploads pictures until the run is over; each that was answered has to be there. */
async function uploading(place: Place, found: Findings): Promise<void> {
  for (let index = 0; !place.isOver(); index += 1) {
    const bytes = await pngOf(`#${(index * 7_919).toString(16).padStart(6, '0').slice(-6)}`)
    const file = new File([new Uint8Array(bytes)], `${index}.png`)
    const { url, sha256 } = await insist(place, (client) => client.media.upload(file))
    found.pictures.push({ address: url, sha256 })
  }
}

/** Changes posts and restores their first versions until the run is over. A version is whole: title and text are of one write. */
async function restoring(place: Place, found: Findings): Promise<void> {
  const content = (index: number) => ({ title: `State ${index}`, body: { markdown: `Text ${index}.` } })
  while (!place.isOver()) {
    const { id } = await insist(place, (client) => client.posts.create(content(0)))
    for (let index = 1; index <= RESTORES_OF_ONE; index += 1) {
      await insist(place, (client) => client.posts.update(id, content(index)))
      const { title } = await insist(place, (client) => client.posts.restore(id, 1))
      if (title !== 'State 0') found.lost.push(`version 1 of ${id}`)
      found.restored += 1
    }
    const { revisions } = await insist(place, (client) => client.posts.revisions(id, { limit: 100 }))
    for (const { version } of revisions) {
      const { title, body } = await insist(place, (client) => client.posts.revision(id, version))
      if (body.markdown !== title.replace('State', 'Text').concat('.'))
        found.lost.push(`a half of version ${version} of ${id}`)
    }
    await insist(place, (client) => unlessGone(client.posts.delete(id)))
  }
}

/** A deletion that may have been done already when its answer was cut off. */
async function unlessGone(call: Promise<unknown>): Promise<void> {
  await call.catch((error: { status?: number }) => {
    if (error.status !== 404) throw error
  })
}

/** Asks whichever process lives until it answers; what it refuses is an error. */
async function insist<T>(place: Place, ask: (client: PostriderClient) => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await ask(place.client())
    } catch (error) {
      const { status = 0 } = error as { status?: number }
      if (status !== 0 && status < 500) throw error
      await sleep(20)
    }
}

/** A call that may have been done already when its answer was cut off. */
async function unlessDone(call: Promise<unknown>): Promise<void> {
  await call.catch((error: { status?: number }) => {
    if (error.status !== 409) throw error
  })
}

async function until(place: Place, id: string, status: ImportWithReport['status']): Promise<void> {
  for (;;) {
    const found = await insist(place, (client) => client.imports.get(id))
    if (found.status === status) return
    if (found.status === 'failed') throw new Error(`an import failed: ${found.problem}`)
    await sleep(50)
  }
}

/** How many files are left a day later that nothing names, and rows of uploads that broke off. */
async function filesWithoutNames(env: Record<string, string>): Promise<number> {
  const clock = manualClock(new Date(Date.now() + 2 * DAY_MS))
  const app = await createApp(parseConfig({ ...env, LOG_LEVEL: 'silent' }), { clock })
  await app.drain()
  // Imports that nobody ran have expired by now; their files are loose since then, and go an hour later.
  clock.advance(2 * HOUR_MS)
  await app.drain()
  const { rows } = await sql<{ folder: string }>`
    select account_id || '/' || id as folder from media
    union all select account_id || '/' || id from imports where status in ('reading', 'ready')
    union all select id::text from imports where status = 'receiving'
  `.execute(app.ctx.db.root)
  await app.stop(0)
  const names = new Set(rows.map(({ folder }) => folder))
  const root = join(env.DATA_DIR ?? '', 'media')
  const files = await readdir(root, { recursive: true, withFileTypes: true })
  const kept = files.filter((file) => file.isFile()).map((file) => file.parentPath.slice(`${root}/files/`.length))
  return kept.filter((folder) => !names.has(folder)).length + rows.filter(({ folder }) => !folder.includes('/')).length
}
