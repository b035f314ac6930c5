import { resolve } from 'node:path'
import { migrations } from '../migrations/index.ts'
import { countTables, inSnapshot, readRows } from '../platform/backup/dump.ts'
import { regularFile, writeBackupFile } from '../platform/backup/file.ts'
import { type BackupHeader, headerLine } from '../platform/backup/format.ts'
import { systemClock } from '../platform/clock.ts'
import { type Config, parseConfig } from '../platform/config.ts'
import type { Database, Tx } from '../platform/db/database.ts'
import { assertKnown, schemaState } from '../platform/db/migrate.ts'
import { findSecretKey, keyFits, shortFingerprint, storedFingerprint } from '../platform/secret-key.ts'
import { VERSION } from '../version.ts'
import { CommandError, EXIT, type Run, type Terminal, UsageError } from './command.ts'
import { withExistingDatabase } from './database.ts'
import { fileProblem } from './file-problem.ts'
import { fileNotes } from './pictures.ts'
import { createProgress } from './progress.ts'

type Header = Omit<BackupHeader, 'format' | 'formatVersion'>

/** Writes the whole database to one file. */
export const run: Run = async ({ operands: [file = ''], options, env, terminal }) => {
  const config = parseConfig(env)
  const path = resolve(file)
  const includeKey = options['include-key'] === true
  if (includeKey && (config.databaseUrl !== undefined || config.secretKey !== undefined))
    throw new UsageError(
      '--include-key is for the key file of an embedded database. Here the key is in SECRET_KEY: keep a copy of it yourself.',
    )
  const present = await regularFile(path).catch((error) => {
    throw fileProblem(error, path)
  })
  if (options.force !== true && present !== undefined)
    throw new CommandError(`${path} already exists. Choose another name, or replace it with --force.`)
  const startedAt = performance.now()
  const { header, bytes } = await withExistingDatabase(config, async ({ db }, { applied }) => {
    if (applied.length === 0) throw new CommandError('The database is empty: there is nothing to back up.')
    return writeBackup(db, present ?? path, terminal, (tx) => describeDatabase(tx, config, db, includeKey))
  })
  const rows = header.tables.reduce((sum, table) => sum + table.rows, 0)
  const seconds = (performance.now() - startedAt) / 1000
  terminal.print(
    `${path}: ${rows.toLocaleString('en')} rows of ${header.tables.length} tables, ${kilobytes(bytes)} KB, in ${seconds.toFixed(1)} s`,
  )
  terminal.print(await keyNote(header, config))
  for (const note of await fileNotes(header, config)) terminal.print(note)
  return EXIT.ok
}

async function writeBackup(
  db: Database,
  path: string,
  terminal: Terminal,
  describe: (tx: Tx) => Promise<Header>,
): Promise<{ header: Header; bytes: number }> {
  return inSnapshot(db, async (tx) => {
    const header = await describe(tx)
    try {
      return { header, bytes: await writeBackupFile(path, backupLines(tx, header, terminal)) }
    } catch (error) {
      throw fileProblem(error, path)
    }
  })
}

async function describeDatabase(tx: Tx, config: Config, db: Database, includeKey: boolean): Promise<Header> {
  const schema = await schemaState(tx, migrations)
  assertKnown(schema)
  const fingerprint = await storedFingerprint(tx)
  const key = includeKey ? await findSecretKey(config, fingerprint) : undefined
  if (includeKey && (key === undefined || fingerprint === undefined || !keyFits(key.key, fingerprint)))
    throw new CommandError(
      `The key file in ${config.dataDir} is missing or belongs to another database. Put the right one there, or run this without --include-key.`,
    )
  return {
    serviceVersion: VERSION,
    createdAt: systemClock.now().toISOString(),
    database: db.kind,
    migrations: schema.applied,
    keyFingerprint: fingerprint?.toString('hex') ?? null,
    ...(key === undefined ? {} : { secretKey: key.key }),
    tables: await countTables(tx),
  }
}

async function* backupLines(tx: Tx, header: Header, terminal: Terminal): AsyncGenerator<string> {
  const progress = createProgress(header.tables, terminal)
  yield headerLine(header)
  for await (const { table, lines } of readRows(tx, header.tables)) {
    progress(table, lines.length)
    yield lines.join('')
  }
}

async function keyNote(header: Header, config: Config): Promise<string> {
  if (header.secretKey !== undefined)
    return 'The backup contains the secret key: anyone who has the file can read every secret in it.'
  if (header.keyFingerprint === null)
    return 'The database has not been used with a secret key yet, so the backup needs none.'
  const fingerprint = Buffer.from(header.keyFingerprint, 'hex')
  const name = shortFingerprint(fingerprint)
  const found = await findSecretKey(config, fingerprint).catch(() => undefined)
  if (found === undefined || !keyFits(found.key, fingerprint))
    return `The backup can be restored only with the secret key ${name}, and ${found?.place ?? `${config.dataDir}/secret.key`} is not that key: find it, and keep a copy elsewhere.`
  return `The secret key (${name}) is not in the backup, which cannot be restored without it: keep a copy of ${found.place} elsewhere.`
}

function kilobytes(bytes: number): string {
  return Math.ceil(bytes / 1024).toLocaleString('en')
}
