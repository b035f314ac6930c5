/**
 * Gives up connections that have fallen silent. After a failover, or when a firewall has forgotten a connection, nothing that is
 * written to it is answered, and for a long time no error says so. A slow statement looks the same from here, so the server is
 * asked, over another connection, for which connections it is executing statements: those may take as long as their statements
 * may. The others are closed: their statement did not arrive there, or its answer did not arrive here. Their server processes
 * are ended too: one may be in the middle of a transaction, whose locks everybody else would wait for.
 */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A connection without an answer for this long is asked about. */
const QUIET_MS = 3_000
const LOOK_EVERY_MS = 1_000
/**
 * How soon and for how long the others are looked at after some were closed: statements that waited for locks of the closed ones
 * end now, one after the other, and their answers may be lost as well.
 */
const LOOK_AGAIN_MS = 250
const LOOK_AGAIN_FOR_MS = 2_000
/** The server must answer within this time when it is asked. */
const ASKED_MS = 5_000

/** Names a process of any server: after a failover, another one may have the same number. Poolers tell the driver other numbers. */
const PROCESS = `concat_ws(' ', pid, extract(epoch from backend_start))`

/** What is known of a connection. Times by the monotonic clock, in milliseconds. */
export class Line {
  readonly #socket: Socket
  /** Its process at the server, as `PROCESS` names it. */
  readonly process: string
  /** Statements that were sent, and how many of them have ended. */
  #sent = 0
  #ended = 0
  /** Whether it lies in the pool, unused. */
  idle = false
  #bytesRead = 0
  /** When bytes had last arrived, and since when an answer is awaited while none do. */
  heardAt = performance.now()
  quietSince = this.heardAt
  /** The first look that found it waiting. */
  noticedAt: number | undefined
  /** Whether the server was not working for it when last asked, and nothing came since. No proof: an answer may be on its way. */
  #suspect = false

  constructor(socket: Socket, process: string) {
    this.#socket = socket
    this.process = process
  }

  /** Notes that a statement was sent, which ends when `answer` settles. */
  await(answer: Promise<unknown>): void {
    const ended = () => {
      this.#ended += 1
    }
    this.#sent += 1
    answer.then(ended, ended)
  }

  /** Whether an answer is awaited, and nothing has arrived since the last look. */
  #waits(): boolean {
    return this.#sent > this.#ended && this.#socket.bytesRead === this.#bytesRead
  }

  /** Notes what has arrived. Whether an answer is awaited and nothing came for `QUIET_MS`. */
  isQuiet(now: number): boolean {
    const { bytesRead } = this.#socket
    if (bytesRead !== this.#bytesRead) this.heardAt = now
    if (this.#waits()) this.noticedAt ??= now
    else {
      this.quietSince = now
      this.noticedAt = undefined
      this.#suspect = false
    }
    this.#bytesRead = bytesRead
    return now - this.quietSince >= QUIET_MS
  }

  /** Whether two looks in a row found the server not working for it, with nothing arrived in between. */
  isSilent(working: ReadonlySet<string>): boolean {
    const wasSuspect = this.#suspect
    this.#suspect = this.#waits() && !working.has(this.process)
    return this.#suspect && wasSuspect
  }

  close(): void {
    this.#socket.destroy(new Error('Connection terminated: the server does not know of what it was asked'))
  }
}

const lines = new WeakMap<object, Line>()

/** What is known of a driver's client; undefined if its pool is not watched. */
export function lineOf(client: object): Line | undefined {
  return lines.get(client)
}

/** Prepares a new connection to be watched. */
export async function learnProcess(client: pg.ClientBase): Promise<void> {
  if (!(client instanceof pg.Client)) return
  const { rows } = await client.query<{ process: string }>(
    `select ${PROCESS} as process from pg_stat_activity where pid = pg_backend_pid()`,
  )
  const { stream } = client.connection
  if (rows[0] !== undefined && stream instanceof Socket) lines.set(client, new Line(stream, rows[0].process))
}

/** Watches the connections of a pool that `learnProcess` prepares, until the pool ends. `server`: how to reach its server. */
export function watchForSilence(pool: pg.Pool, server: pg.ClientConfig): void {
  const watched = new Set<Line>()
  pool.on('connect', (client) => {
    const line = lineOf(client)
    if (line !== undefined) watched.add(line)
  })
  pool.on('remove', (client) => {
    const line = lineOf(client)
    if (line !== undefined) watched.delete(line)
  })
  const setIdle = (client: object, idle: boolean) => {
    const line = lineOf(client)
    if (line !== undefined) line.idle = idle
  }
  pool.on('acquire', (client) => setIdle(client, false))
  pool.on('release', (_, client) => setIdle(client, true))
  void lookUntilItEnds(pool, watched, server)
}

async function lookUntilItEnds(pool: pg.Pool, watched: ReadonlySet<Line>, server: pg.ClientConfig): Promise<void> {
  for (let closedAt = Number.NEGATIVE_INFINITY; ; ) {
    const soon = performance.now() - closedAt < LOOK_AGAIN_FOR_MS
    await sleep(soon ? LOOK_AGAIN_MS : LOOK_EVERY_MS, undefined, { ref: false })
    if (pool.ending) return
    if (await closeSilent(watched, server)) closedAt = performance.now()
  }
}

/** Closes the connections that are silent; resolves with whether there were any. Never rejects. */
async function closeSilent(watched: ReadonlySet<Line>, server: pg.ClientConfig): Promise<boolean> {
  const now = performance.now()
  // Each call also notes what arrived.
  const quiet = [...watched].filter((line) => line.isQuiet(now))
  if (quiet.length === 0) return false
  const silent = await silentAmong(quiet, server).catch(() => [])
  if (silent.length === 0) return false
  // Unused connections have probably fallen silent too, and the next statement would find out only by waiting. `<=`: what they heard
  // before the silence began may have been noted by the look that noticed it.
  const noticedAt = Math.min(...silent.map((line) => line.noticedAt ?? now))
  const unused = [...watched].filter((line) => line.idle && line.heardAt <= noticedAt)
  for (const line of [...silent, ...unused]) line.close()
  return true
}

/** Asks the server which of these connections are silent, and ends the processes of those. Throws if it does not say. */
async function silentAmong(quiet: readonly Line[], server: pg.ClientConfig): Promise<Line[]> {
  const client = new pg.Client({ ...server, connectionTimeoutMillis: ASKED_MS, query_timeout: ASKED_MS })
  client.on('error', () => {}) // the query rejects
  try {
    await client.connect()
    const { rows } = await client.query<{ process: string }>(
      `select ${PROCESS} as process from pg_stat_activity where state not like 'idle%'`,
    )
    const working = new Set(rows.map(({ process }) => process))
    const silent = quiet.filter((line) => line.isSilent(working))
    if (silent.length > 0)
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${PROCESS} = any($1)`, [
        silent.map(({ process }) => process),
      ])
    return silent
  } finally {
    client.end().catch(() => {}) // not waited for: this connection may fall silent too
  }
}
