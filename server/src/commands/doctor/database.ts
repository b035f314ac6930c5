import { sql } from 'kysely'
import { backlogOf } from '../../engine/index.ts'
import { migrations } from '../../migrations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { type Config, ConfigError } from '../../platform/config.ts'
import { deriveKeys } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { EmbeddedInUseError } from '../../platform/db/embedded/errors.ts'
import { ENCODING, isOfPreview, schemaState, wrongEncoding } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open.ts'
import { createLog } from '../../platform/log.ts'
import { findSecretKey, keyFits, shortFingerprint, storedFingerprint } from '../../platform/secret-key.ts'
import { PROGRAM } from '../command.ts'
import { databaseExists } from '../database.ts'
import { explainProblem, WRITABLE } from '../problems.ts'
import { checkSealed } from '../sealed.ts'
import { about, type Finding } from './finding.ts'

const OLDEST_POSTGRES = 15
/** Processes' clocks decide when posts, attempts and jobs of drafts are due, and date signatures; leases go by the database's clock. */
const MOST_SKEW_MS = 5_000
/** Normally a worker leases a due lane within a second. */
const OVERDUE_MS = 60_000
const MOST_HOSTS = 20

/** The findings about the database, and some hosts that webhooks go to. */
export type DatabaseFindings = { findings: Finding[]; hosts: string[] }

/** Checks the database and its contents; skips an embedded one that another process holds. */
export async function checkDatabase(config: Config): Promise<DatabaseFindings> {
  const what = about('database')
  try {
    if (!(await databaseExists(config)))
      return only(what.unknown(`none in ${config.dataDir} yet; the first start creates it`))
    const { db } = await openDatabase(config, createLog('silent'), () => {})
    try {
      return await examine(config, db)
    } finally {
      await db.close()
    }
  } catch (error) {
    if (error instanceof EmbeddedInUseError) {
      const holder = error.pid === null ? 'another process' : `process ${error.pid}`
      return only(what.unknown(`in use by ${holder}, so not checked`))
    }
    if (error instanceof ConfigError) return only(what.bad(error.problems.join('; ')))
    const problem = explainProblem(error)
    if (problem === undefined) throw error
    return only(what.bad(problem.message))
  }
}

function only(finding: Finding): DatabaseFindings {
  return { findings: [finding], hosts: [] }
}

async function examine(config: Config, db: Database): Promise<DatabaseFindings> {
  const findings = [await checkVersion(db), await checkClock(db)]
  const schema = await checkSchema(db)
  findings.push(schema)
  if (schema.state === 'bad') return { findings, hosts: [] }
  findings.push(...(await checkKey(config, db)))
  const work = await checkWork(db)
  return { findings: [...findings, ...work.findings], hosts: work.hosts }
}

async function checkVersion(db: Database): Promise<Finding> {
  const what = about('database')
  const { rows } = await sql<{ version: string; encoding: string; readOnly: boolean }>`
    select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only')::boolean as "readOnly"
  `.execute(db.root)
  const { version = 'unknown', encoding = ENCODING, readOnly = false } = rows[0] ?? {}
  if (db.kind === 'embedded') return what.good(`embedded, PostgreSQL ${version}`)
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES)
    return what.bad(`PostgreSQL ${version} is too old; upgrade it to ${OLDEST_POSTGRES} or newer`)
  if (encoding !== ENCODING) return what.bad(wrongEncoding(encoding).message)
  if (readOnly) return what.bad(`PostgreSQL ${version} is read-only; ${WRITABLE}`)
  return what.good(`PostgreSQL ${version}`)
}

async function checkClock(db: Database): Promise<Finding> {
  const what = about('clock')
  if (db.kind === 'embedded') return what.good("the database uses this machine's clock")
  const before = systemClock.now().getTime()
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db.root)
  const after = systemClock.now().getTime()
  const theirs = rows[0]?.now.getTime() ?? before
  const skewMs = theirs < before ? before - theirs : Math.max(0, theirs - after)
  const text = `differs from the database's by ${skewMs} ms`
  if (skewMs <= MOST_SKEW_MS) return what.good(text)
  return what.bad(`${text}; synchronise both machines' clocks (NTP)`)
}

async function checkSchema(db: Database): Promise<Finding> {
  const what = about('schema')
  const schema = await schemaState(db.root, migrations)
  const { pending, unknown } = schema
  if (isOfPreview(schema)) return what.bad('made by a preview; carry the data over with backup and restore')
  if (unknown.length > 0)
    return what.bad(`made by a newer version (${unknown.join(', ')}); use that version or a newer one`)
  if (pending.length > 0) return what.bad(`not up to date (pending: ${pending.length}); run: ${PROGRAM} migrate`)
  return what.good('up to date')
}

async function checkKey(config: Config, db: Database): Promise<Finding[]> {
  const what = about('secret key')
  const stored = await storedFingerprint(db.root)
  if (stored === undefined) return [what.unknown('the database has not been used with a key yet')]
  const found = await findSecretKey(config, stored).catch(configProblem)
  if (found instanceof ConfigError) return [what.bad(found.problems.join('; '))]
  const name = shortFingerprint(stored)
  if (found === undefined)
    return [what.bad(`missing; restore the key ${name} to ${config.dataDir}/secret.key from a backup`)]
  if (!keyFits(found.key, stored)) return [what.bad(`not the one of this database; use the key ${name} instead`)]
  const next = found.staged ? '; the next start completes its rotation' : ''
  return [what.good(`${name} fits${next}`), await checkSecrets(db, found.key)]
}

function configProblem(error: unknown): ConfigError {
  if (error instanceof ConfigError) return error
  throw error
}

async function checkSecrets(db: Database, key: string): Promise<Finding> {
  const what = about('site secrets')
  const { tried, problem } = await checkSealed(db.root, deriveKeys(key))
  if (problem !== undefined) return what.bad(problem)
  return what.good(`can be decrypted; sites tried: ${tried}`)
}

async function checkWork(db: Database): Promise<DatabaseFindings> {
  const { overdueMs, sites, failing, hosts } = await backlogOf(db.root, systemClock, MOST_HOSTS)
  const failingText = failing === 0 ? 'none failing' : `${failing} failing (those with the status "error")`
  const findings: Finding[] = [about('sites').good(`${sites} connected, ${failingText}`)]
  const overdue = `deliveries are overdue by ${Math.round(overdueMs / 1000)} s`
  if (overdueMs < OVERDUE_MS) findings.push(about('work').good('nothing is overdue'))
  // This process holds the embedded database, so no service is running that could deliver.
  else if (db.kind === 'embedded') findings.push(about('work').good(`${overdue}; they go out when the service starts`))
  else findings.push(about('work').bad(`${overdue}; start a worker, or more workers, and look at their logs`))
  return { findings, hosts }
}
