/**
 * Signals between the processes of one database: "something about this changed, look again". They are hints: the rows are
 * the truth, and a listener that misses a signal still does its work, only later. On PostgreSQL they travel by NOTIFY with
 * the commit that caused them; a process receives its own signals at once, and most not again from the server. The embedded database
 * has one process.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from './clock.ts'
import { afterCommit, type Database, type Db, NOTICED, type Tx } from './db/database.ts'
import { prepared } from './db/statements.ts'
import { errorField, type Log } from './log.ts'

/**
 * What is signalled: that a loop has work; that a site's endpoint changed, what was pending of a post for a site was superseded, a job
 * was cancelled or an account's logins ended (the subject has the ids); and what has changed (`changes/changes.ts`).
 */
export type Topic =
  | 'deliver'
  | 'schedule'
  | 'jobs'
  | 'endpoint'
  | 'superseded'
  | 'job-cancelled'
  | 'signed-out'
  | 'changed'

/** Sends signals. */
export type SignalSender = {
  /** Tells every process, this one included, once the transaction has committed. */
  send(tx: Tx, topic: Topic, subject?: string): Promise<void>
}

/** Sends and receives signals. */
export type Signals = SignalSender & {
  /**
   * Tells every process, this one last, outside of any transaction: several subjects at once, of up to 7,900 bytes each. The
   * commit does not wait for the disk, because publishing, whose signals queue behind the same lock, would wait too.
   */
  broadcast(db: Db, topic: Topic, subjects: readonly string[]): Promise<void>
  /** Settles once this process receives others' signals, or when the first attempt to listen has failed. */
  ready: Promise<void>
  /**
   * `listener` gets the subject, or undefined when signals may have been missed and any subject may have changed: each
   * time that listening begins, including the first; for `endpoint` also each time that it fails.
   */
  on(topic: Topic, listener: (subject: string | undefined) => void): void
  close(): Promise<void>
}

const CHANNEL = 'postrider'
/**
 * A process receives its own such signals from the server too, in case it cannot tell that it has committed: it must not go on with
 * what it read before.
 */
const RECEIVED_TWICE = new Set(['endpoint', 'superseded'])
const RECONNECT_MS = 1_000
/** How often the server is asked whether it is still there, and how long it may take to answer. */
const ASK_EVERY_MS = 2_000
const ANSWERED_MS = 10_000
const GOODBYE_MS = 1_000

/** Signals within this process, and to those on the same PostgreSQL database if `url` is given. */
export function createSignals(url: string | undefined, clock: Clock, log: Log): Signals {
  const self = newName()
  const listeners = new Map<Topic, Array<(subject: string | undefined) => void>>()
  const receive = (topic: Topic, subject: string | undefined) => {
    for (const listener of listeners.get(topic) ?? []) listener(subject)
  }
  const { ready, stop } =
    url === undefined
      ? { ready: Promise.resolve(), stop: async () => {} }
      : listen(url, clock, log, {
          message: (payload) => {
            const [sender, topic = '', subject = ''] = payload.split(' ')
            if (sender === self && !RECEIVED_TWICE.has(topic)) return
            receive(topic as Topic, subject === '' ? undefined : subject) // only the functions below write to the channel
          },
          connected: () => {
            for (const topic of listeners.keys()) receive(topic, undefined)
          },
          // While it may miss changes, this process must not send what it read before: it is read again.
          disconnected: () => receive('endpoint', undefined),
        })
  return {
    ready,
    async send(tx, topic, subject) {
      if (url !== undefined) await notify(tx, self, topic, subject)
      afterCommit(() => receive(topic, subject))
    },
    async broadcast(db, topic, subjects) {
      if (url !== undefined) {
        const payloads = subjects.map((subject) => payloadOf(self, topic, subject))
        await sql`
          select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, payload)
          from unnest(${payloads}::text[]) as payload
        `.execute(db)
      }
      for (const subject of subjects) receive(topic, subject)
    },
    on(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener])
    },
    close: stop,
  }
}

/** For a process that receives no signals, such as a command. The embedded database has no other process to tell. */
export function createSignalSender({ kind }: Pick<Database, 'kind'>): SignalSender {
  const self = newName()
  return {
    async send(tx, topic, subject) {
      if (kind === 'postgres') await notify(tx, self, topic, subject)
    },
  }
}

function newName(): string {
  return randomBytes(6).toString('base64url')
}

function payloadOf(sender: string, topic: Topic, subject: string): string {
  return [sender, topic, subject].join(' ')
}

async function notify(tx: Tx, sender: string, topic: Topic, subject = ''): Promise<void> {
  await prepared(sql`select pg_notify(${CHANNEL}, ${payloadOf(sender, topic, subject)})`).execute(tx)
}

type Subscription = {
  message(payload: string): void
  connected(): void
  /** Called each time that listening fails. */
  disconnected(): void
}

/** Listens on a connection of its own until `stop` is called; reconnects when the connection is lost or has fallen silent. */
function listen(
  url: string,
  clock: Clock,
  log: Log,
  subscription: Subscription,
): { ready: Promise<void>; stop: () => Promise<void> } {
  const stopping = new AbortController()
  const tried = Promise.withResolvers<void>()
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await listenOnce(url, clock, stopping.signal, {
          ...subscription,
          connected() {
            subscription.connected()
            tried.resolve()
          },
        })
      } catch (error) {
        if (!stopping.signal.aborted) log.warn('signals.lost', { error: errorField(error) })
        subscription.disconnected()
      }
      tried.resolve()
      if (!stopping.signal.aborted) await clock.sleep(RECONNECT_MS, stopping.signal)
    }
  }
  const running = run()
  return {
    ready: tried.promise,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/**
 * Receives what is signalled until `stopping` is aborted. Rejects when the connection cannot be made, is lost, or does not answer when
 * it is asked: a listener says nothing by itself, so it would take minutes to notice that a firewall has forgotten it.
 */
async function listenOnce(url: string, clock: Clock, stopping: AbortSignal, subscription: Subscription): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    ...NOTICED,
    query_timeout: ANSWERED_MS,
    application_name: 'postrider signals',
  })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error('Connection terminated')))
  client.on('notification', ({ payload }) => subscription.message(payload ?? ''))
  // Ends a statement under way too.
  stopping.addEventListener('abort', () => client.end().catch(() => {}), { signal: lost.signal })
  const ended = AbortSignal.any([stopping, lost.signal])
  try {
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    subscription.connected()
    while (!ended.aborted) {
      await clock.sleep(ASK_EVERY_MS, ended)
      if (!ended.aborted) await client.query('select 1')
    }
    if (!stopping.aborted) throw lost.signal.reason
  } finally {
    await leave(client, clock)
  }
}

/** Ends a connection; a server that may have fallen silent is not waited for. */
async function leave(client: pg.Client, clock: Clock): Promise<void> {
  const ended = new AbortController()
  void client
    .end()
    .catch(() => {})
    .finally(() => ended.abort())
  await clock.sleep(GOODBYE_MS, ended.signal)
  client.connection.stream.destroy()
}
