/**
 * Whether a build is of what lies here now. A build leaves a stamp: the files it was made of, and a hash over their
 * contents. What the bundler loaded from other workspaces is in the list, so nothing has to be kept in step by hand; a
 * file that is new in the dashboard changes the list, and one that is new elsewhere is imported by a file that changed.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

const REPOSITORY = join(import.meta.dirname, '../..')

/** Not served: it has no type that a browser is sent. */
const STAMP = '.stamp'

/** Not part of what is built. */
const OUTSIDE = /^dashboard\/(dist|\.dist-\w+|node_modules|test)\//

/** Writes the stamp of a build in `directory` that loaded `modules`, which are absolute paths. */
export async function writeStamp(directory: string, modules: Iterable<string>, repository = REPOSITORY): Promise<void> {
  const loaded = [...modules]
    .map((id) => relative(repository, id.replace(/[?#].*$/, '')).replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('..') && !path.includes('\0') && !path.includes('node_modules/'))
  const files = new Set(['package-lock.json', ...loaded, ...(await ownFiles(repository))])
  const inputs = [...files].toSorted()
  await writeFile(join(directory, STAMP), JSON.stringify({ inputs, hash: await hashOf(repository, inputs) }))
}

/** Whether the build in `directory` is of the present sources. */
export async function isFresh(directory: string, repository = REPOSITORY): Promise<boolean> {
  try {
    const { inputs, hash } = JSON.parse(await readFile(join(directory, STAMP), 'utf8')) as Stamp // written above
    const added = (await ownFiles(repository)).some((path) => !inputs.includes(path))
    return !added && hash === (await hashOf(repository, inputs))
  } catch {
    return false // no build, no stamp, or an input is gone
  }
}

type Stamp = { inputs: string[]; hash: string }

async function ownFiles(repository: string): Promise<string[]> {
  const entries = await readdir(join(repository, 'dashboard'), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .filter((path) => !OUTSIDE.test(path))
}

async function hashOf(repository: string, inputs: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of inputs) {
    const content = await readFile(join(repository, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}
