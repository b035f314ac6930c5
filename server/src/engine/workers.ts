/**
 * Which workers live. Each worker of a PostgreSQL database renews a row of its own every second; what a worker holds that has not been
 * seen for five seconds is free again. A worker that cannot renew its row stops before that: from four seconds on it starts nothing.
 * The embedded database has one process, so whatever is held when it starts was left by a dead one.
 */
import { sql } from 'kysely'
import { type Clock, type Deadline, deadlineIn, remainingMs } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { defineLoop, type Loop } from '../platform/loop.ts'

const RENEWED_EVERY_MS = 1_000
const TRUSTED_MS = 4_000
const UNSEEN_MS = 5_000

/** Frees what the workers with these ids, or all, held. */
type Abandon = (db: Db, workerIds: readonly string[] | 'all') => Promise<unknown>

/** This process among the workers. */
export class Worker {
  readonly #ctx: Pick<Context, 'clock' | 'db' | 'ids' | 'log'>
  readonly #abandon: Abandon
  readonly #loop: Loop
  #id: string
  /** Until when others certainly know that this worker lives; undefined while it has no row. */
  #trusted: Deadline | undefined

  constructor(ctx: Pick<Context, 'clock' | 'db' | 'ids' | 'log'>, abandon: Abandon) {
    this.#ctx = ctx
    this.#abandon = abandon
    this.#id = ctx.ids.next()
    const { clock, log } = ctx
    const step = async () => {
      await this.renew()
      return { again: false } as const
    }
    this.#loop = defineLoop({ name: 'workers', everyMs: RENEWED_EVERY_MS, clock, log, step })
  }

  /** The id by which this worker holds things; undefined while others may take it for dead. */
  id(): string | undefined {
    if (this.#ctx.db.kind === 'embedded') return this.#id
    const isTrusted = this.#trusted !== undefined && remainingMs(this.#ctx.clock, this.#trusted) > 0
    return isTrusted ? this.#id : undefined
  }

  /** Joins the workers, and frees what dead ones have left as soon as that is certain. */
  async join(): Promise<void> {
    if (this.#ctx.db.kind === 'embedded') return void (await this.#abandon(this.#ctx.db.root, 'all'))
    await this.renew()
    this.#loop.start()
  }

  /** Leaves the workers. Must be called once nothing is held any more. */
  async leave(): Promise<void> {
    await this.#loop.stop()
    if (this.#trusted === undefined) return
    await this.#ctx.db.root.deleteFrom('workers').where('id', '=', this.#id).execute()
    this.#trusted = undefined
  }

  /**
   * Renews the row, and frees what workers held that are gone. If the row is gone, others have taken this worker for dead: what it holds
   * is lost, and it goes on under a new id. After an outage of the database everybody is unseen: only a worker that has been seen for five
   * seconds without a gap judges others.
   */
  async renew(): Promise<void> {
    if (this.#ctx.db.kind === 'embedded') return
    const { clock, db, ids } = this.#ctx
    const now = clock.inDatabase()
    const trusted = deadlineIn(clock, TRUSTED_MS)
    const { rows } = await sql<{ mayJudge: boolean }>`
      update workers set since = case when seen_at < ${now} - ${UNSEEN} then ${now} else since end, seen_at = ${now}
      where id = ${this.#id} returning since < ${now} - ${UNSEEN} as "mayJudge"
    `.execute(db.root)
    const [row] = rows
    if (row === undefined) {
      this.#id = ids.next()
      await sql`insert into workers (id, since, seen_at) values (${this.#id}, ${now}, ${now})`.execute(db.root)
    }
    this.#trusted = trusted
    if (row?.mayJudge === true) await this.#freeUnseen(clock)
  }

  async #freeUnseen(clock: Clock): Promise<void> {
    await this.#ctx.db.tx(async (tx) => {
      const { rows } = await sql<{ id: string }>`
        delete from workers where seen_at < ${clock.inDatabase()} - ${UNSEEN} returning id
      `.execute(tx)
      if (rows.length > 0)
        await this.#abandon(
          tx,
          rows.map(({ id }) => id),
        )
    })
  }
}

const UNSEEN = sql`${sql.lit(UNSEEN_MS)} * interval '1 millisecond'`

/** Whether no worker lives; if so, none can join until the transaction ends. Processes that only answer requests do not count. */
export async function claimFromWorkers(tx: Tx): Promise<boolean> {
  if (!(await hasWorkers(tx))) return true
  await sql`lock table workers in exclusive mode`.execute(tx)
  return !(await doWorkersLive(tx))
}

/** Whether a worker lives. */
export async function doWorkersLive(db: Db): Promise<boolean> {
  if (!(await hasWorkers(db))) return false
  const { rows } = await sql<{ live: boolean }>`
    select exists (select from workers where seen_at >= statement_timestamp() - ${UNSEEN}) as live
  `.execute(db)
  return rows[0]?.live === true
}

/** Whether the database has the table of workers: a new one has not, and nobody works on it. */
async function hasWorkers(db: Db): Promise<boolean> {
  const { rows } = await sql`select where to_regclass('workers') is not null`.execute(db)
  return rows.length > 0
}
