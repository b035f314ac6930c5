import { resolve } from 'node:path'
import { sql } from 'kysely'
import { endAllApiTokens, endAllLogins } from '../accounts/index.ts'
import { LAST_OF_PREVIEWS, migrations } from '../migrations/index.ts'
import { readBackupFile, regularFile } from '../platform/backup/file.ts'
import { type BackupHeader, fitOf } from '../platform/backup/format.ts'
import { loadRows, lockAndFindRows } from '../platform/backup/load.ts'
import { storedTables, usePortableText } from '../platform/backup/tables.ts'
import { systemClock } from '../platform/clock.ts'
import { type Config, parseConfig } from '../platform/config.ts'
import type { Tx } from '../platform/db/database.ts'
import { assertEncoding, assertKnown, migrateTo, schemaState } from '../platform/db/migrate.ts'
import { findSecretKey, forgetFingerprint, keyFits, shortFingerprint, writeKeyFile } from '../platform/secret-key.ts'
import { messageOf } from '../platform/thrown.ts'
import { countDue, raiseVersions, recordUnlistedPosts, writePosts } from '../posts/index.ts'
import { assertAlone } from './alone.ts'
import { CommandError, EXIT, type Run, type Terminal } from './command.ts'
import { withDatabase } from './database.ts'
import { fileProblem } from './file-problem.ts'
import { missingNotes } from './pictures.ts'
import { createProgress } from './progress.ts'

/** Loads a backup into an empty database: all of it, or nothing. With `--check` it says whether that could be done. */
export const run: Run = async ({ operands: [file = ''], options, env, terminal }) => {
  const config = parseConfig(env)
  const path = resolve(file)
  terminal.note(`Checking ${path}`)
  const header = await checkFile(path).catch((error) => {
    throw fileProblem(error, path)
  })
  assertFits(header)
  const newKey = await keyToWrite(config, header)
  if (options.check === true) {
    terminal.print(`${path} is complete and can be restored here: ${describe(header)}.`)
    return EXIT.ok
  }
  const startedAt = performance.now()
  terminal.note(`Loading ${describe(header)}`)
  const isMove = options['keep-versions'] === true
  const { due, notes } = await loadAll(config, { path, header, newKey, isMove }, terminal)
  if (newKey !== undefined) terminal.print(`The secret key was written to ${config.dataDir}/secret.key.`)
  const seconds = (performance.now() - startedAt) / 1000
  terminal.print(`Restored ${rowsOf(header)} rows of ${header.tables.length} tables in ${seconds.toFixed(1)} s.`)
  if (!isMove)
    terminal.print('Posts have versions above any that sites may have by now, and everybody has to log in again.')
  if (due > 0)
    terminal.print(
      `Scheduled posts that have come due since the backup: ${due.toLocaleString('en')}. They are published as they were in the backup when the service starts; what was changed in them afterwards is not known here.`,
    )
  for (const note of notes) terminal.print(note)
  terminal.print('Start the service when you are ready: it will send the deliveries that were pending in the backup.')
  return EXIT.ok
}

function describe(header: BackupHeader): string {
  return `${rowsOf(header)} rows, made ${header.createdAt} by Postrider ${header.serviceVersion}`
}

function rowsOf({ tables }: BackupHeader): string {
  return tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString('en')
}

/** One transaction from the look at what is there to the last row. `notes`: what to say about files beside the database. */
async function loadAll(
  config: Config,
  { path, header, newKey, isMove }: { path: string; header: BackupHeader; newKey: string | undefined; isMove: boolean },
  terminal: Terminal,
): Promise<{ due: number; notes: string[] }> {
  return withDatabase(config, async ({ db, maintain }) => {
    const due = await db.root.transaction().execute(async (tx) => {
      await usePortableText(tx)
      await assertAlone(db, tx, 'They would continue with outdated data')
      await assertEncoding(tx)
      await assertEmpty(tx, header)
      // Before the commit: a database in use without its key would be worse than a key without a database.
      if (newKey !== undefined) await writeKeyFile(config.dataDir, newKey)
      await load(tx, { path, header, isMove }, terminal)
      return countDue(tx, systemClock.now())
    })
    try {
      if (maintain === undefined) await sql`analyze`.execute(db.root)
      else await maintain('all')
    } catch (error) {
      terminal.note(`Everything is restored, but the tables' statistics were not refreshed: ${messageOf(error)}.`)
    }
    return { due, notes: await missingNotes(header, config, db.root) }
  })
}

/** Reads the whole file to check it; loading reads it once more. What the last preview's migrations made fits the foundation. */
async function checkFile(path: string): Promise<BackupHeader> {
  await regularFile(path)
  const header = await readBackupFile(path)
  return header.migrations.at(-1) === LAST_OF_PREVIEWS ? { ...header, migrations: known().slice(0, 1) } : header
}

/** The names of this version's migrations, sorted. */
function known(): string[] {
  return Object.keys(migrations).toSorted()
}

function assertFits(header: BackupHeader): void {
  const fit = fitOf(header.migrations, known())
  if (fit === 'fits') return
  const who = `This backup was made by Postrider ${header.serviceVersion}`
  throw new CommandError(
    fit === 'newer'
      ? `${who}, whose database schema is newer than this version. Restore it with that version or a newer one.`
      : `${who}, whose database schema this version cannot recreate. Restore it with that version, then go on as docs/operating-reference.md says under Upgrading.`,
  )
}

/** The backup's key, if the data directory needs it. Throws when the existing key does not open the backup. */
async function keyToWrite(config: Config, header: BackupHeader): Promise<string | undefined> {
  if (header.keyFingerprint === null) return undefined
  const fingerprint = Buffer.from(header.keyFingerprint, 'hex')
  const present = await findSecretKey(config, fingerprint)
  if (present !== undefined && keyFits(present.key, fingerprint)) return undefined
  const inside = header.secretKey !== undefined && keyFits(header.secretKey, fingerprint) ? header.secretKey : undefined
  if (present === undefined && inside !== undefined) return inside
  const name = shortFingerprint(fingerprint)
  const where =
    config.secretKey !== undefined
      ? 'SECRET_KEY is a different key: set it to that one'
      : present !== undefined
        ? `${config.dataDir}/secret.key is a different key: restore into a new DATA_DIR`
        : `There is no key in ${config.dataDir}: put that secret.key there, or set SECRET_KEY to its contents`
  const hint = inside === undefined ? '' : ' It is in the first line of the backup, as secretKey (zcat FILE | head -1).'
  throw new CommandError(
    `This backup can be restored only with the secret key ${name}. ${where}, and run this again.${hint} Nothing was changed.`,
    EXIT.config,
  )
}

/** Throws unless the database is empty and its schema no newer than the backup's. A first start leaves only its key's fingerprint. */
async function assertEmpty(tx: Tx, header: BackupHeader): Promise<void> {
  const schema = await schemaState(tx, migrations)
  assertKnown(schema)
  const { applied } = schema
  const tables = await storedTables(tx)
  const filled = applied.length === 0 ? tables.map(({ name }) => name) : await lockAndFindRows(tx, tables)
  const inTheWay = filled.filter((name) => name !== 'installation')
  if (inTheWay.length > 0)
    throw new CommandError(
      `The database is not empty (${inTheWay.join(', ')}). Nothing was changed. Restore into an empty one: set DATA_DIR to a new directory, or DATABASE_URL to a new database.`,
    )
  const further = applied.filter((name) => !header.migrations.includes(name))
  if (further.length > 0)
    throw new CommandError(
      `The schema of this database is newer than the backup (${further.join(', ')}). Nothing was changed. Restore into a database that no service has used yet; the next start updates its schema.`,
    )
}

/** Throws the server's error if this user may not create tables. The migrator would hide it behind that of the aborted transaction. */
async function assertMayCreate(tx: Tx): Promise<void> {
  await sql`create table postrider_restore ()`.execute(tx)
  await sql`drop table postrider_restore`.execute(tx)
}

/** Everything in the backup. Unless it is a move, what may have happened since the backup is outdone. */
async function load(
  tx: Tx,
  { path, header, isMove }: { path: string; header: BackupHeader; isMove: boolean },
  terminal: Terminal,
): Promise<void> {
  const last = header.migrations.at(-1)
  await assertMayCreate(tx)
  if (last !== undefined) await migrateTo(tx, migrations, last)
  await forgetFingerprint(tx)
  const tables = await storedTables(tx)
  const stored = new Map(tables.map((table) => [table.name, table]))
  // The schema is exactly the backup's, so what it lacks is not the service's, or is from a preview and not needed any more.
  for (const { name, columns } of header.tables) {
    const table = stored.get(name)
    if (table === undefined) terminal.note(`Left out: the table ${name}, which is not of this version of Postrider.`)
    const missing = columns.filter((column) => table?.columns.every((known) => known.name !== column))
    for (const column of missing)
      terminal.note(`Left out: the column ${column} of ${name}, which is not of this version of Postrider.`)
  }
  const progress = createProgress(header.tables, terminal)
  await readBackupFile(path, async (table, lines) => {
    const target = stored.get(table.name)
    if (target !== undefined) await loadRows(tx, target, table, lines)
    progress(table.name, lines.length)
  })
  await recordUnlistedPosts(tx)
  if (isMove) return
  await writePosts(tx, (posts) => raiseVersions(posts, systemClock.now()))
  await endAllLogins(tx)
  const ended = await endAllApiTokens(tx)
  if (ended > 0) terminal.note(`Tokens of programs that have ended, as every login has: ${ended}. Make new ones.`)
}
