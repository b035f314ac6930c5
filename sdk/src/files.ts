/**
 * Keeps each post as a file of a folder: `content/posts/ID.json`. A page reads one file. Lists and slugs are answered from an index in
 * memory, which is renewed when the folder has changed, and then reads only the files that have; so several processes may read the folder.
 * One process at a time should write: two that change the same post within the same instant are not kept apart.
 */
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { byNewest, type Kept, type ListedPost, listed, partOf, type Store } from './receiver/store.ts'

const ENDING = '.json'
const CURSOR = 'cursor'
/** More files open at once would meet the limits of small machines. */
const READS_AT_ONCE = 32
/** A folder that changed this recently may change again without its time telling so. */
const SETTLED_MS = 1_000

type Entry = { changed: number; size: number; post: ListedPost | null }
type Index = { changed: number; entries: Map<string, Entry>; sorted: ListedPost[]; bySlug: Map<string, string> }

const EMPTY: Index = { changed: -1, entries: new Map(), sorted: [], bySlug: new Map() }

/** Keeps posts as files. `folder` must last from one deploy to the next, or all posts are fetched again at the next start. */
export function fileStore(folder = 'content/posts'): Store {
  const fileOf = (id: string) => join(folder, `${encodeURIComponent(id)}${ENDING}`)
  let index = EMPTY

  async function current(): Promise<Index> {
    const changed = (await unlessMissing(stat(folder)))?.mtimeMs ?? -1
    if (changed !== index.changed || Date.now() - changed < SETTLED_MS)
      index = await renewed(folder, index.entries, changed)
    return index
  }

  return {
    name: 'files',
    async read(id) {
      const text = await unlessMissing(readFile(fileOf(id), 'utf8'))
      const kept = text === undefined ? undefined : parse(text)
      return text === undefined || kept === undefined ? undefined : { kept, revision: text }
    },
    write: (id, kept, revision) =>
      inTurn(folder, async () => {
        const text = await unlessMissing(readFile(fileOf(id), 'utf8'))
        const here = text === undefined || parse(text) === undefined ? undefined : text
        if (here !== revision) return false
        await replace(folder, fileOf(id), JSON.stringify(kept, null, 2))
        return true
      }),
    async find(slug) {
      const id = (await inTurn(folder, current)).bySlug.get(slug)
      const text = id === undefined ? undefined : await unlessMissing(readFile(fileOf(id), 'utf8'))
      return (text === undefined ? undefined : parse(text)?.post) ?? undefined
    },
    list: async (query) => partOf((await inTurn(folder, current)).sorted, query),
    readCursor: () => unlessMissing(readFile(join(folder, CURSOR), 'utf8')),
    writeCursor: (cursor) => replace(folder, join(folder, CURSOR), cursor),
  }
}

async function renewed(folder: string, before: Map<string, Entry>, changed: number): Promise<Index> {
  const names = ((await unlessMissing(readdir(folder))) ?? []).filter((name) => name.endsWith(ENDING))
  const entries = new Map<string, Entry>()
  const waiting = names.values()
  const reader = async () => {
    for (const name of waiting) {
      const entry = await entryOf(join(folder, name), before.get(name))
      if (entry !== undefined) entries.set(name, entry)
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, reader))
  const sorted = [...entries.values()].flatMap(({ post }) => post ?? []).sort(byNewest)
  const bySlug = new Map<string, string>()
  for (const { id, previous_slugs = [] } of sorted) for (const slug of previous_slugs) bySlug.set(slug, id)
  for (const { id, slug } of sorted) bySlug.set(slug, id)
  return { changed, entries, sorted, bySlug }
}

async function entryOf(file: string, before: Entry | undefined): Promise<Entry | undefined> {
  const facts = await unlessMissing(stat(file))
  if (facts === undefined || (before?.changed === facts.mtimeMs && before.size === facts.size)) return before
  const post = parse((await unlessMissing(readFile(file, 'utf8'))) ?? '')?.post
  return { changed: facts.mtimeMs, size: facts.size, post: post == null ? null : listed(post) }
}

/** Undefined if the file was cut off when the machine lost its power: the post is fetched again. */
function parse(text: string): Kept | undefined {
  try {
    return JSON.parse(text) as Kept
  } catch {
    return undefined
  }
}

/** Replaces a file atomically: a page that reads meanwhile gets the whole of what was there. */
async function replace(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const draft = `${file}.${crypto.randomUUID()}.new` // of this process alone: others may share the folder
  await writeFile(draft, text, { flush: true })
  await rename(draft, file)
}

async function unlessMissing<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** One piece of work on a folder at a time. The line is global, because bundlers load a module more than once. */
function inTurn<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const place = globalThis as typeof globalThis & { postriderLines?: Map<string, Promise<unknown>> }
  place.postriderLines ??= new Map()
  const result = (place.postriderLines.get(folder) ?? Promise.resolve()).then(work)
  place.postriderLines.set(
    folder,
    result.catch(() => undefined),
  )
  return result
}
