/**
 * The database handle. One driver (pg) and one dialect serve both the embedded database and a PostgreSQL server.
 *
 * The embedded database has a single connection, and a pool can be exhausted; in both cases a query on the root
 * handle from inside a transaction would wait for a connection that the transaction itself holds. A guard turns that
 * silent hang into an error at once: while a transaction's callback runs, the root handle gives it no connection.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
import pg from 'pg'
import { Failure, unavailable } from '../errors.ts'
import { withPrepared } from './client.ts'
import type { Tables } from './tables.ts'

/** A handle for queries that need no atomicity; accepts a transaction too. */
export type Db = Kysely<Tables>
/** A handle inside a transaction. The root handle does not fit here, so the compiler refuses it. */
export type Tx = Transaction<Tables>

/** The open database. */
export type Database = {
  /** The root handle. */
  root: Db
  /**
   * Runs `work` in one transaction (read committed). A deadlock or serialization failure starts it afresh,
   * at most twice; `work` must therefore have no effects but its queries and `afterCommit`.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same for reading, on one snapshot: all statements see the database as the first of them does. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` on a handle without statement timeouts: for changes of the schema. */
  withoutTimeLimit<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** From now on, notifies `observer` of every statement once it has ended: its text, how long it took, and whether it failed. */
  observe(observer: StatementObserver): void
  /** When the database last had no space for what was to be stored (`performance.now()`); undefined if that never happened. */
  fullAtMs(): number | undefined
  /** Whether this is a PostgreSQL server or the embedded database. */
  kind: 'postgres' | 'embedded'
  close(): Promise<void>
}

/** Notified of statements, never of their parameters' values. */
export type StatementObserver = (sql: string, tookMs: number, failed: boolean) => void

type Scope = { afterCommit: Array<() => void> }
const scope = new AsyncLocalStorage<Scope | undefined>()

/** Runs `effect` once the surrounding transaction has committed. Throws outside a transaction. */
export function afterCommit(effect: () => void): void {
  const current = scope.getStore()
  if (current === undefined) throw new Error('afterCommit needs a surrounding transaction')
  current.afterCommit.push(effect)
}

type Pending = { hook: ((tx: Tx) => Promise<void>) | undefined }
const pending = new AsyncLocalStorage<Pending>()

/** Runs `work`; its first transaction that commits runs `hook` last, before the commit. */
export function beforeFirstCommit<T>(hook: (tx: Tx) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return pending.run({ hook }, work)
}

// Timestamps come back as Date (pg's default); bigint counters fit a double for any life of this service.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const TRIES = 3
const RETRYABLE = new Set(['40001', '40P01'])

/** Wraps a pool. `closeServer` runs after the pool has ended (the embedded database is closed there). */
export function createDatabase(pool: pg.Pool, kind: Database['kind'], closeServer?: () => Promise<void>): Database {
  let observer: StatementObserver | undefined
  const root = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: guarded(pool) }),
    log(event) {
      observer?.(event.query.sql, event.queryDurationMillis, event.level === 'error')
      if (event.level === 'error') noteFull(event.error)
    },
  })
  let fullAtMs: number | undefined
  const noteFull = (error: unknown) => {
    if (sqlState(error) === '53100') fullAtMs = performance.now()
  }
  async function once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const current: Scope = { afterCommit: [] }
    const first = pending.getStore()
    const result = await root.transaction().execute((tx) =>
      scope.run(current, async () => {
        const value = await work(tx)
        await first?.hook?.(tx)
        return value
      }),
    )
    if (first !== undefined) first.hook = undefined
    for (const effect of current.afterCommit) effect()
    return result
  }
  return {
    root,
    kind,
    fullAtMs: () => fullAtMs,
    async withoutTimeLimit(work) {
      if (kind === 'embedded') return work(root)
      const patient = new pg.Pool({ ...pool.options, ...UNHURRIED, max: 2, min: 0 })
      hearErrors(patient, () => {}) // the query that uses the connection rejects
      const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: guarded(patient) }) })
      try {
        return await work(db)
      } finally {
        await db.destroy()
      }
    },
    snapshot: (work) =>
      root
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((tx) => scope.run({ afterCommit: [] }, () => work(tx))),
    observe(statementObserver) {
      observer = statementObserver
    },
    async tx(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(work)
        } catch (error) {
          noteFull(error)
          if (attempt >= TRIES || !RETRYABLE.has(sqlState(error) ?? '')) throw error
        }
      }
    },
    async close() {
      await root.destroy()
      await closeServer?.()
    },
  }
}

/** What is wrong with a database that is there but takes nothing, by SQLSTATE. */
const REFUSING: Record<string, string> = {
  '53100': 'Nothing can be stored, because the disk of the database is full. Try again once there is space.',
  '25006': 'Nothing can be stored, because the database is read-only. Try again shortly.',
}

/** The failure of whoever cannot get a connection, or whose statement the database cannot carry out now. */
export function away(cause: unknown): Failure {
  return unavailable(REFUSING[sqlState(cause) ?? ''] ?? 'The database does not answer. Try again shortly.', cause)
}

function guarded(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      if (scope.getStore() !== undefined) {
        throw new Error('the root database handle was used inside a transaction: pass the transaction to the query')
      }
      try {
        return withPrepared(await pool.connect())
      } catch (error) {
        throw away(error)
      }
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/**
 * Timeouts in milliseconds: the server ends a statement after `statement_timeout`, and a connection whose transaction is left idle for
 * `idle_in_transaction_session_timeout`; a client without an answer by `query_timeout` gives up the connection. `onConnect` prepares a
 * connection before it is used.
 */
export type StatementLimits = Pick<pg.PoolConfig, 'onConnect'> & {
  statement_timeout: number
  query_timeout: number
  idle_in_transaction_session_timeout: number
}

/**
 * For the service, whose statements take far less: a batch (results of attempts, counts of requests) that waits for a connection blocks
 * the next ones. After a failover, or when a firewall has forgotten a connection, nothing that is written to it is answered, and no
 * error says so: work pauses for as long as the driver waits, and the server keeps the locks of a transaction that was open for as long.
 */
const HURRIED: StatementLimits = {
  statement_timeout: 8_000,
  query_timeout: 9_000,
  idle_in_transaction_session_timeout: 9_000,
}
/** For commands and schema changes, which may take any time. The driver does not send zeros, so `onConnect` lifts the server's limits. */
export const UNHURRIED: StatementLimits = {
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 60_000,
  onConnect: async (client) => {
    await client.query(`
      select set_config(name, '0', false) from pg_settings where name in ('statement_timeout', 'transaction_timeout')
    `)
  },
}

/** For every connection to a PostgreSQL server: detects one that cannot be made, or that was silently lost while idle. */
export const NOTICED = { connectionTimeoutMillis: 5_000, keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

/** A pool for a PostgreSQL server. At most `max` connections, of which the last `min` are not closed when they are idle; an error of a
 * connection, idle or in use, is reported and its query rejected, never thrown at the process. */
export function createPostgresPool(
  url: string,
  { max, min = 0 }: { max: number; min?: number },
  onError: (error: Error) => void,
  limits: StatementLimits = HURRIED,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    ...NOTICED,
    application_name: 'postrider',
    max,
    min,
    pipeline: true,
    ...limits,
  })
  hearErrors(pool, onError)
  closeUnusedWithLost(pool)
  return pool
}

/** Closes the connections that lie unused when one in use is lost: they have probably fallen silent too, which the next statement would
 * find out only by waiting. */
function closeUnusedWithLost(pool: pg.Pool): void {
  const unused = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => unused.delete(client))
  pool.on('release', (_, client) => unused.add(client))
  pool.on('remove', (client) => unused.delete(client))
  pool.on('connect', (client) =>
    client.on('error', () => {
      for (const one of unused) if (one instanceof pg.Client) one.connection.stream.destroy()
      unused.clear()
    }),
  )
}

/** Reports errors of a pool's connections, idle or in use, which would otherwise be thrown at the process. */
export function hearErrors(pool: pg.Pool, onError: (error: Error) => void): void {
  pool.on('error', onError)
  // The pool removes its own listener while a connection is in use.
  pool.on('connect', (client) => client.on('error', onError))
}

/** The SQLSTATE of a database error, or undefined for anything else. */
function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * Whether the error says that the database itself is gone (connection lost or ended because this process stood still, shutting down, no
 * answer in time, out of resources, read-only after a failover), not that a query is wrong.
 */
export function isDatabaseGone(error: unknown): boolean {
  if (error instanceof Failure) return error.kind === 'unavailable'
  const state = sqlState(error)
  if (state === undefined)
    return error instanceof Error && /Connection terminated|connection error|Query read timeout/.test(error.message)
  return (
    state.startsWith('08') ||
    state.startsWith('53') ||
    state.startsWith('57P') ||
    ['25006', '25P03', '57014', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(state)
  )
}

/** Whether the error says that a statement was ended because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** Whether the error says that somebody else held a lock for longer than the transaction would wait. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** The name of the violated unique constraint, or undefined when the error is another. */
export function uniqueViolation(error: unknown): string | undefined {
  if (sqlState(error) !== '23505') return undefined
  return error instanceof Error && 'constraint' in error ? String(error.constraint) : undefined
}

/** Whether the error says that the account of a new row has been removed meanwhile. */
export function isAccountGone(error: unknown): boolean {
  if (sqlState(error) !== '23503') return false
  return error instanceof Error && 'constraint' in error && String(error.constraint).endsWith('_account_id_fkey')
}

/** The column (`table.column`) whose not-null constraint was violated, or undefined when the error is another. */
export function missingValue(error: unknown): string | undefined {
  if (sqlState(error) !== '23502' || !(error instanceof Error)) return undefined
  return 'table' in error && 'column' in error ? `${error.table}.${error.column}` : undefined
}
