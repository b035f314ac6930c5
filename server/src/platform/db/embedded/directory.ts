/**
 * The files of an embedded database.
 *
 *   <dir>/db/data       the PostgreSQL data directory
 *   <dir>/db/version.json  which PGlite wrote it last
 *   <dir>/db/flushed.lsn  how far its WAL was on disk at the last maintenance (known-flush.ts)
 *   <dir>/db.partial-*  a first start under way, or one that died
 *
 * `db` appears by one rename, when everything in it is on disk; what is not there yet has never been used, so an
 * abandoned `db.partial-*` is the only thing ever removed. Callers hold the directory's lock.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { syncDirectory } from '../../directory-sync.ts'
import { isNoSuchFile, messageOf } from '../../thrown.ts'
import { EmbeddedError, openFailed } from './errors.ts'

const DATABASE = 'db'
const PARTIAL = 'db.partial-'
const STAMP_FILE = 'version.json'

/** What wrote a database: PGlite's exact version and PostgreSQL's major version. */
export type Stamp = { pglite: string; postgres: string }

/**
 * The older versions of PGlite whose directories this one opens as they are, because a test opens one that they made. PostgreSQL's minor
 * releases share a file format, but PGlite promises nothing: any other version is refused.
 */
const OPENS: readonly string[] = ['0.5.16']

/** Where the database beneath `dir` is: the data directory and what is noted beside it. */
export function homePath(dir: string): string {
  return join(dir, DATABASE)
}

/** The PostgreSQL data directory beneath `dir`. */
export function dataPath(dir: string): string {
  return join(homePath(dir), 'data')
}

/** More than fits into a file without a block of its own. */
const PROBE = new Uint8Array(16_384)

/**
 * Creates `dir` when it is missing and proves that it can be written. Throws `not_writable`, `open_failed` when there is no room, and
 * `not_owned` for a database that was made by another user: whatever this process wrote there would be closed to the other one.
 */
export async function prepareDirectory(dir: string): Promise<void> {
  const probe = join(dir, `.write-test-${randomUUID()}`)
  let uid: number
  try {
    const made = await mkdir(dir, { recursive: true, mode: 0o700 })
    if (made !== undefined) await syncParents(resolve(dir), resolve(made))
    await writeFile(probe, PROBE, { flush: true })
    uid = (await stat(probe)).uid
    await rm(probe)
  } catch (cause) {
    const reason = messageOf(cause)
    await rm(probe, { force: true }).catch(() => {})
    if (/^(ENOSPC|EDQUOT)/.test(reason))
      throw new EmbeddedError(
        'open_failed',
        `There is no room for the database in ${dir} (${reason}). Free some space, and start again. Nothing was changed.`,
        { cause },
      )
    throw new EmbeddedError(
      'not_writable',
      `The data directory ${dir} is not writable (${reason}). Give this user write access to it, or set DATA_DIR to another directory.`,
      { cause },
    )
  }
  await assertOwner(dir, uid)
}

/** `made` is the topmost directory of those that were made on the way to `dir`. */
async function syncParents(dir: string, made: string): Promise<void> {
  for (let path = dir; path !== dirname(made); path = dirname(path)) await syncDirectory(dirname(path))
}

/** Compared with a file that was just made, not with the process's user: some file systems give every file to one user. */
async function assertOwner(dir: string, uid: number): Promise<void> {
  const home = homePath(dir)
  const owner = (await unlessMissing(stat(home)))?.uid
  if (owner === undefined || owner === uid) return
  throw new EmbeddedError(
    'not_owned',
    `The database in ${home} belongs to the user with the id ${owner}. This process would write as ${uid}, and the owner could no longer open it. ` +
      `Run this as that user (for instance with sudo -u '#${owner}'). To hand the database over, stop the service and run: chown -R ${uid} ${dir}. Nothing was changed.`,
  )
}

/** Whether a first start has been completed in `dir`. Throws `version_mismatch`, `unrecognised` or `open_failed`; changes nothing. */
export async function isCreated(dir: string): Promise<boolean> {
  const home = homePath(dir)
  try {
    if ((await unlessMissing(stat(home))) === undefined) return false
    const stamp = await readStamp(home)
    const installed = await installedPglite()
    if (stamp.pglite !== installed && !OPENS.includes(stamp.pglite)) {
      throw new EmbeddedError(
        'version_mismatch',
        `The database in ${home} was written by PGlite ${stamp.pglite} (PostgreSQL ${stamp.postgres}); this Postrider has PGlite ${installed}, ` +
          'whose file format may differ. Nothing was changed. Make a backup with the version of Postrider that wrote it, and restore the backup with this version into a new DATA_DIR.',
      )
    }
    if ((await postgresMajor(dataPath(dir))) !== stamp.postgres) throw unrecognised(home)
    return true
  } catch (cause) {
    throw cause instanceof EmbeddedError ? cause : openFailed(dir, cause)
  }
}

/** Creates `db` with what `fill` puts into the data directory given to it; complete and on disk, or not at all. */
export async function createDatabase(dir: string, fill: (dataDir: string) => Promise<void>): Promise<void> {
  await removePartial(dir)
  const home = await mkdtemp(join(dir, PARTIAL))
  const data = join(home, 'data')
  await mkdir(data, { mode: 0o700 })
  await fill(data)
  const stamp: Stamp = { pglite: await installedPglite(), postgres: await postgresMajor(data) }
  await writeFile(join(home, STAMP_FILE), stampText(stamp))
  await syncTree(home)
  await rename(home, join(dir, DATABASE))
  await syncDirectory(dir)
}

/**
 * Stamps the database in `dir` with the installed PGlite, which has opened it: from then on older versions refuse it. Returns the version
 * that the stamp named before if it was another.
 */
export async function renewStamp(dir: string): Promise<string | undefined> {
  const home = homePath(dir)
  const before = await readStamp(home)
  const pglite = await installedPglite()
  if (before.pglite === pglite) return undefined
  const next = join(home, `${STAMP_FILE}.partial`)
  await writeFile(next, stampText({ ...before, pglite }), { flush: true })
  await rename(next, join(home, STAMP_FILE))
  await syncDirectory(home)
  return before.pglite
}

function stampText(stamp: Stamp): string {
  return `${JSON.stringify(stamp)}\n`
}

async function removePartial(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    // The process that makes a database ends a moment after the one that it makes it for was killed.
    if (name.startsWith(PARTIAL)) await rm(join(dir, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

async function readStamp(home: string): Promise<Stamp> {
  const stamp = parseJson((await unlessMissing(readFile(join(home, STAMP_FILE), 'utf8'))) ?? '')
  if (typeof stamp !== 'object' || stamp === null) throw unrecognised(home)
  const { pglite, postgres } = stamp as Partial<Stamp> // both fields are checked on the next line
  if (typeof pglite !== 'string' || typeof postgres !== 'string') throw unrecognised(home)
  return { pglite, postgres }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unrecognised(home: string): EmbeddedError {
  return new EmbeddedError(
    'unrecognised',
    `${home} is not a complete Postrider database. Nothing was changed. Restore the whole directory from a backup, or move it away to start empty.`,
  )
}

async function postgresMajor(data: string): Promise<string> {
  return ((await unlessMissing(readFile(join(data, 'PG_VERSION'), 'utf8'))) ?? '').trim()
}

/** The version of the installed PGlite package. */
export async function installedPglite(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const text = await readFile(join(dirname(entry), '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version // a package.json without a version cannot be installed
}

/** What was asked of a file, or undefined if there is none. What cannot be read is not taken for missing. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isNoSuchFile(error) || (error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) return undefined
    throw error
  }
}

async function syncTree(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = [root, ...entries.map((entry) => join(entry.parentPath, entry.name))]
  while (paths.length > 0) await Promise.all(paths.splice(0, 64).map(sync))
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
