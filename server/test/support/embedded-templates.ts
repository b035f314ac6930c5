/**
 * What embedded databases of tests start from, made once per state of the code that makes it and kept in node_modules/.cache: making one
 * takes seconds of processor time, starting from one half a second.
 */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { access, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrations } from '../../src/migrations/index.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import { openEmbedded } from '../../src/platform/db/embedded/open-embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'

/**
 * Databases in which nothing is yet: `empty` is the file of one's dump, `snapshot` the file of a migrated one's, and `directory` is a data
 * directory with a migrated one.
 */
export type EmbeddedTemplates = { empty: string; snapshot: string; directory: string }

const ROOT = join(import.meta.dirname, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache/postrider-tests')
/** What decides how a template turns out. */
const MAKERS = [
  'server/src/migrations/*.ts',
  'server/src/platform/db/**/*.ts',
  'server/test/support/embedded-templates.ts',
]
const ENGINE = 'node_modules/@electric-sql/pglite/package.json'
/** Templates of earlier code are removed when they are so old; another run may have made them just now. */
const KEPT_MS = 24 * 3_600_000

/** The templates, made if this code's are not there yet. `remove` removes what is not kept. */
export async function embeddedTemplates(): Promise<EmbeddedTemplates & { remove(): Promise<void> }> {
  const name = await hashOfMakers()
  const dir = join(CACHE, name)
  if (await isUsable(dir)) return { ...within(dir), remove: async () => {} }
  const parent = await mkdir(CACHE, { recursive: true }).then(
    () => CACHE,
    () => tmpdir(), // the installation belongs to somebody else
  )
  const made = await mkdtemp(join(parent, 'new-')).catch(() => mkdtemp(join(tmpdir(), 'postrider-templates-')))
  await writeSnapshot(within(made).snapshot, within(made).empty)
  const snapshot = new Blob([await readFile(within(made).snapshot)])
  await (await openEmbedded({ dir: within(made).directory, snapshot, log: () => {} })).close()
  // It fails where another run was faster, or the directory cannot be written to; then this run uses its own.
  const kept =
    made.startsWith(CACHE) &&
    (await rename(made, dir).then(
      () => true,
      () => false,
    ))
  if (!kept) return { ...within(made), remove: () => rm(made, { recursive: true, force: true }) }
  await removeOld(name)
  return { ...within(dir), remove: async () => {} }
}

/** Writes the dump of a migrated database to a file, and to another what it was before it was migrated. */
export async function writeSnapshot(file: string, before?: string): Promise<void> {
  const embedded = await openEmbedded({ dir: '', durable: false, log: () => {} })
  const pool = new pg.Pool(embedded.poolConfig)
  const db = createDatabase(pool, 'embedded', embedded.close)
  const dump = async (to: string) => writeFile(to, Buffer.from(await (await embedded.dump()).arrayBuffer()))
  if (before !== undefined) await dump(before)
  await migrate(db, migrations)
  await dump(file)
  await db.close()
}

function within(dir: string): EmbeddedTemplates {
  return { empty: join(dir, 'empty.tar'), snapshot: join(dir, 'snapshot.tar'), directory: join(dir, 'directory') }
}

/** It appears as a whole; only the user who made it may enter it. */
function isUsable(dir: string): Promise<boolean> {
  return access(within(dir).snapshot, constants.R_OK).then(
    () => true,
    () => false,
  )
}

async function hashOfMakers(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [...MAKERS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).sort(), ENGINE])
    hash.update(await readFile(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

async function removeOld(current: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    if (name === current || Date.now() - (await stat(path)).mtimeMs < KEPT_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}
