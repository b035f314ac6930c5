/**
 * The real database behind simulated connections. Every statement is an entry in the agenda: it takes virtual time to arrive,
 * and its process can be struck before the statement is executed, or afterwards, before it sees the answer.
 *
 * The embedded database has one session, so a transaction excludes everything else until it ends; between transactions,
 * statements of all processes interleave. A statement without ORDER BY may return its rows in any order, and does.
 */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { migrations } from '../../src/migrations/index.ts'
import { createDatabase } from '../../src/platform/db/database.ts'
import { openEmbedded } from '../../src/platform/db/embedded/open-embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import type { Agenda } from './agenda.ts'
import type { Process } from './process.ts'

type Result = { rows: unknown[]; command: string; rowCount: number }

/** An open, migrated database for one story after another. */
export type Store = {
  query(text: string, values?: readonly unknown[]): Promise<Result>
  /** Removes what the last story left. */
  empty(): Promise<void>
  close(): Promise<void>
}

const TABLES = [
  'deliveries',
  'delivery_hours',
  'delivery_days',
  'events',
  'lanes',
  'skipped_posts',
  'jobs',
  'workers',
  'endpoints',
  'post_revisions',
  'working_copies',
  'previews',
  'imported_posts',
  'post_sites',
  'post_slugs',
  'posts',
  'sites',
]
/** Truncating all tables costs as much as a story; dead rows cost each story a little. */
const STORIES_UNTIL_TRUNCATED = 40
/** Truncated for every story: of lanes due at the same moment a lease takes those first on disk, so their layout must be the same. */
const LAID_OUT_ANEW = 'lanes'

/** Opens a database in memory, from a snapshot if there is one. */
export async function openStore(snapshotFile: string | undefined): Promise<Store> {
  const snapshot = snapshotFile === undefined ? {} : { snapshot: await readFile(snapshotFile) }
  const embedded = await openEmbedded({ dir: '', durable: false, log: () => {}, ...snapshot })
  const pool = new pg.Pool(embedded.poolConfig)
  const db = createDatabase(pool, 'embedded', embedded.close)
  await migrate(db, migrations)
  const client = await pool.connect()
  // Statements are parsed and planned once: parsing and planning is most of what a small one costs.
  await client.query('set plan_cache_mode = force_generic_plan')
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    return name
  }
  let stories = 0
  return {
    async query(text, values = []) {
      const { rows, command, rowCount } = await client.query({ name: nameOf(text), text, values: [...values] })
      return { rows, command, rowCount: rowCount ?? 0 }
    },
    async empty() {
      stories += 1
      if (stories % STORIES_UNTIL_TRUNCATED === 0) await client.query(`truncate ${TABLES.join(', ')}`)
      else {
        const others = TABLES.filter((table) => table !== LAID_OUT_ANEW).map((table) => `delete from ${table}`)
        await client.query([`truncate ${LAID_OUT_ANEW}`, ...others].join(';'))
      }
    },
    async close() {
      client.release()
      await db.close()
    },
  }
}

/** A connection of a process. */
type Session = { process: Process; broken: boolean; notifications: Array<[topic: string, subject: string]> }

type Request = {
  session: Session
  text: string
  values: readonly unknown[]
  resolve(result: Result): void
  reject(error: Error): void
}

/** What the simulation hears of what goes on in the database. */
export type DatabaseEvents = {
  executed(process: Process, text: string, values: readonly unknown[], rows: readonly unknown[]): void
  notified(process: Process, topic: string, subject: string): void
  lost(process: Process): void
}

const NOTIFY = 'select pg_notify'

/** Gives every process connections to the one store. */
export class SimulatedDatabase {
  readonly #store: Store
  readonly #agenda: Agenda
  readonly #random: () => number
  readonly #events: DatabaseEvents
  /** The session whose transaction is open. */
  #owner: Session | undefined
  #blocked: Request[] = []

  constructor(store: Store, agenda: Agenda, random: () => number, events: DatabaseEvents) {
    this.#store = store
    this.#agenda = agenda
    this.#random = random
    this.#events = events
  }

  /** A pool of connections that live and die with the process. */
  poolOf(process: Process): pg.Pool {
    const pool = { connect: async () => this.#connect(process), end: async () => {}, options: {} }
    return pool as unknown as pg.Pool // only what the service uses of a pool
  }

  /** Reads the rows as they are, outside the story; only while no transaction is open. */
  async look<Row>(text: string): Promise<Row[]> {
    return (await this.#store.query(text)).rows as Row[]
  }

  /** Whether a transaction is open; `process`: only of this one. */
  isBusy(process?: Process): boolean {
    return this.#owner !== undefined && (process === undefined || this.#owner.process === process)
  }

  /** The server notices that a process is gone, and rolls back its open transaction. */
  async abandon(process: Process): Promise<void> {
    this.#blocked = this.#blocked.filter(({ session }) => session.process !== process)
    if (this.#owner?.process === process) await this.#rollBack()
  }

  #connect(process: Process): object {
    const session: Session = { process, broken: false, notifications: [] }
    const query = (asked: string | { text: string; values: unknown[] }, given: readonly unknown[] = []) =>
      new Promise<Result>((resolve, reject) => {
        const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked
        const request = { session, text, values, resolve, reject }
        this.#agenda.after(this.#travel(process), () => this.#arrive(request))
      })
    return { query, release: () => {} }
  }

  /** How long a statement travels: mostly briefly, sometimes long, so that concurrent statements arrive in any order. */
  #travel(process: Process): number {
    const ms = process.chance() < 0.05 ? process.chance() * 25 : 0.05 + process.chance() * 1.5
    return process.delayMs + ms
  }

  async #arrive(request: Request): Promise<void> {
    const { session } = request
    const { process } = session
    if (!process.alive) return
    if (session.broken) return process.deliver(() => request.reject(connectionLost()))
    if (this.#owner !== undefined && this.#owner !== session) {
      this.#blocked.push(request)
      return
    }
    const strike = process.strikeAt(request.text === 'commit')
    if (strike === 'crash before') return process.crash()
    if (strike === 'loss before') return this.#lose(request)
    const answer = await this.#execute(request)
    if (strike === 'crash after') return process.crash()
    if (strike === 'loss after') return this.#lose(request)
    process.deliver(answer)
  }

  /** Executes a statement; calling the returned function wakes its process with the result. */
  async #execute({ session, text, values, resolve, reject }: Request): Promise<() => void> {
    if (text.startsWith(NOTIFY)) {
      const [, message = ''] = values as string[]
      const [topic = '', subject = ''] = message.split(' ')
      session.notifications.push([topic, subject])
      return () => resolve({ rows: [], command: 'SELECT', rowCount: 0 })
    }
    try {
      const result = await this.#store.query(text, values)
      if (text === 'begin' || text.startsWith('start transaction')) this.#owner = session
      if (text === 'commit' || text === 'rollback') this.#ended()
      if (result.command === 'COMMIT')
        for (const [topic, subject] of session.notifications) this.#events.notified(session.process, topic, subject)
      if (text === 'commit' || text === 'rollback') session.notifications = []
      const rows = /order by [^)]*$/i.test(text) ? result.rows : this.#shuffled(result.rows)
      this.#events.executed(session.process, text, values, rows)
      return () => resolve({ ...result, rows })
    } catch (error) {
      return () => reject(error as Error)
    }
  }

  #ended(): void {
    this.#owner = undefined
    for (const request of this.#blocked.splice(0)) this.#agenda.after(0, () => this.#arrive(request))
  }

  async #rollBack(): Promise<void> {
    await this.#store.query('rollback')
    this.#ended()
  }

  /** The connection breaks; nobody can tell from the error how far the statement got. */
  async #lose({ session, reject }: Request): Promise<void> {
    session.broken = true
    if (this.#owner === session) await this.#rollBack()
    this.#events.lost(session.process)
    session.process.deliver(() => reject(connectionLost()))
  }

  #shuffled(rows: unknown[]): unknown[] {
    if (rows.length < 2) return rows
    const sorted = rows.map((row) => ({ row, text: JSON.stringify(row) })).sort((a, b) => (a.text < b.text ? -1 : 1))
    for (let last = sorted.length - 1; last > 0; last -= 1) {
      const other = Math.floor(this.#random() * (last + 1))
      const [a, b] = [sorted[last], sorted[other]]
      if (a !== undefined && b !== undefined) [sorted[last], sorted[other]] = [b, a]
    }
    return sorted.map(({ row }) => row)
  }
}

/** The driver's message for a lost connection. */
export const CONNECTION_LOST = 'Connection terminated unexpectedly'

function connectionLost(): Error {
  return new Error(CONNECTION_LOST)
}
