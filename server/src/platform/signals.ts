/**
 * Signals between the processes of one database: "something about this changed, look again". They are hints: rows are
 * the truth, and whoever listens also works, later or fresher, without them. On PostgreSQL they travel by NOTIFY with the
 * commit that caused them; a process also hears its own at once. The embedded database has one process.
 */
import { sql } from 'kysely'
import pg from 'pg'
import type { Clock } from './clock.ts'
import { afterCommit, type Tx } from './db/database.ts'
import { errorField, type Log } from './log.ts'

/** What is signalled: that a loop has work, or that the endpoint of a site changed (its id is the subject). */
export type Topic = 'deliver' | 'publish-due' | 'detect-platforms' | 'endpoint'

/** Sends and hears signals. */
export type Signals = {
  /** Tells every process, this one included, once the transaction has committed. */
  send(tx: Tx, topic: Topic, subject?: string): Promise<void>
  /** `listener` gets the subject, or undefined when signals may have been missed and any subject may have changed. */
  on(topic: Topic, listener: (subject: string | undefined) => void): void
  close(): Promise<void>
}

const CHANNEL = 'postrider'
const RECONNECT_MS = 1_000

/** Signals within this process, and to those on the same PostgreSQL database if `url` is given. */
export function createSignals(url: string | undefined, clock: Clock, log: Log): Signals {
  const listeners = new Map<Topic, Array<(subject: string | undefined) => void>>()
  const hear = (topic: Topic, subject: string | undefined) => {
    for (const listener of listeners.get(topic) ?? []) listener(subject)
  }
  const stopListening =
    url === undefined
      ? async () => {}
      : listen(url, clock, log, {
          message: (payload) => {
            const [topic = '', subject = ''] = payload.split(' ')
            hear(topic as Topic, subject === '' ? undefined : subject) // only `send` below writes to the channel
          },
          missed: () => {
            for (const topic of listeners.keys()) hear(topic, undefined)
          },
        })
  return {
    async send(tx, topic, subject) {
      if (url !== undefined) await sql`select pg_notify(${CHANNEL}, ${[topic, subject ?? ''].join(' ')})`.execute(tx)
      afterCommit(() => hear(topic, subject))
    },
    on(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener])
    },
    close: stopListening,
  }
}

type Ears = { message(payload: string): void; missed(): void }

/** Listens on a connection of its own until the returned function is called; comes back when the connection is lost. */
function listen(url: string, clock: Clock, log: Log, ears: Ears): () => Promise<void> {
  const stopping = new AbortController()
  const run = async () => {
    for (let first = true; !stopping.signal.aborted; first = false) {
      const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'postrider signals' })
      const ended = new Promise<void>((resolve) => {
        client.once('error', () => resolve())
        client.once('end', () => resolve())
        stopping.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      client.on('error', (error) => log.warn('signals.lost', { error: errorField(error) }))
      client.on('notification', ({ payload }) => ears.message(payload ?? ''))
      try {
        await client.connect()
        await client.query(`listen ${CHANNEL}`)
        if (!first) ears.missed()
        await ended
      } catch (error) {
        log.warn('signals.lost', { error: errorField(error) })
      }
      await client.end().catch(() => {})
      if (!stopping.signal.aborted) await clock.sleep(RECONNECT_MS, stopping.signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
