import type { Socket } from 'node:net'
import { Linked, LinkedList } from '../linked-list.ts'
import type { Allowed } from './addresses.ts'
import { Connection } from './connection.ts'
import type { Dial } from './dial.ts'
import type { Target } from './target.ts'

/**
 * A request for a connection. The pool calls either `connected`, with a connection for exclusive use, or `notConnected`, with
 * an error: once, perhaps synchronously, and never after `withdraw`. The pool sets `withdraw` while the ask waits; it takes
 * the ask out of the queue or stops the dialling.
 */
export type Ask = {
  readonly target: Target
  readonly allowed: Allowed
  connected(connection: Connection): void
  notConnected(error: unknown): void
  withdraw: (() => void) | undefined
}

/** A server, under the policy by which its addresses were vetted. */
class Origin extends Linked<Origin> {
  readonly key: string
  /** Connections in every state, those being dialled included. */
  open = 0
  readonly idle: Connection[] = []
  readonly waiting = new Set<Ask>()

  constructor(key: string) {
    super()
    this.key = key
  }
}

/** A connection is not reused beyond this age, however busy: the name may point elsewhere by now. */
const MAX_AGE_MS = 60_000

/**
 * Keeps connections for the next request to the same origin.
 *
 * The pool tracks an origin while it has a connection or a waiting ask. Requests beyond `perOriginConnections` wait in order
 * of arrival. Idle connections close themselves after seconds. While `keptConnections` are open in all, busy ones included,
 * opening another closes an idle one, of the least recently used origin: over TLS each takes 70 KiB. A connection belongs to
 * one request at a time, from `take` until `release` or its own end.
 */
export class ConnectionPool {
  readonly #dial: Dial
  readonly #keptConnections: number
  readonly #perOrigin: number
  readonly #nowMs: () => number
  readonly #origins = new Map<string, Origin>()
  readonly #owners = new Map<Connection, Origin>()
  /** Origins that hold idle connections, the one used longest ago first. */
  readonly #idleOrigins = new LinkedList<Origin>()
  #closed = false

  constructor(parts: { dial: Dial; keptConnections: number; perOriginConnections: number; nowMs: () => number }) {
    this.#dial = parts.dial
    this.#keptConnections = parts.keptConnections
    this.#perOrigin = parts.perOriginConnections
    this.#nowMs = parts.nowMs
  }

  /** Finds or opens a connection for `ask`, now or later. */
  take(ask: Ask): void {
    const origin = this.#originOf(ask)
    const idle = this.#takeIdle(origin)
    if (idle !== undefined) ask.connected(idle)
    else if (origin.open < this.#perOrigin) this.#open(origin, ask)
    else this.#wait(origin, ask)
  }

  /** Takes back a connection, to be reused if possible. */
  release(connection: Connection): void {
    const origin = this.#owners.get(connection)
    if (origin === undefined) return
    const tooOld = this.#nowMs() - connection.openedAtMs > MAX_AGE_MS
    if (this.#closed || tooOld || !connection.alive) {
      connection.destroy()
      return
    }
    const [next] = origin.waiting
    if (next !== undefined) {
      origin.waiting.delete(next)
      next.withdraw = undefined
      next.connected(connection)
      return
    }
    origin.idle.push(connection)
    this.#idleOrigins.delete(origin)
    this.#idleOrigins.add(origin)
  }

  /** Closes every connection, and every later one as soon as it is released. Resolves when the sockets are closed. */
  async close(): Promise<void> {
    this.#closed = true
    const connections = [...this.#owners.keys()]
    for (const connection of connections) connection.destroy()
    await Promise.all(connections.map((connection) => connection.whenClosed()))
  }

  /** Connections are shared by origin, and by the policy under which its addresses were vetted. */
  #originOf({ target, allowed }: Ask): Origin {
    const key = `${target.origin} ${allowed.id}`
    let origin = this.#origins.get(key)
    if (origin === undefined) {
      origin = new Origin(key)
      this.#origins.set(key, origin)
    }
    return origin
  }

  /** The most recently released connection, which has the best chance of being alive. */
  #takeIdle(origin: Origin): Connection | undefined {
    const connection = origin.idle.pop()
    if (origin.idle.length === 0) this.#idleOrigins.delete(origin)
    return connection
  }

  #wait(origin: Origin, ask: Ask): void {
    origin.waiting.add(ask)
    ask.withdraw = () => {
      origin.waiting.delete(ask)
      this.#forgetIfUnused(origin)
    }
  }

  #open(origin: Origin, ask: Ask): void {
    const { target, allowed } = ask
    let over = false
    let giveUp = () => {}
    this.#makeRoom()
    origin.open += 1
    ask.withdraw = () => {
      if (over) return
      over = true
      giveUp()
      this.#slotFreed(origin)
    }
    giveUp = this.#dial(target, allowed, (error, socket) => {
      if (over) return
      over = true
      ask.withdraw = undefined
      if (socket === undefined) {
        ask.notConnected(error)
        return this.#slotFreed(origin)
      }
      const connection = this.#connectionOver(socket, target.origin)
      this.#owners.set(connection, origin)
      ask.connected(connection)
    })
  }

  /** In a scope of its own, so that the connection's callback does not retain the ask it was opened for, with a body of megabytes. */
  #connectionOver(socket: Socket, origin: string): Connection {
    return new Connection({ origin, socket, openedAtMs: this.#nowMs(), onGone: (gone) => this.#gone(gone) })
  }

  #gone(connection: Connection): void {
    const origin = this.#owners.get(connection)
    if (origin === undefined) return
    this.#owners.delete(connection)
    const index = origin.idle.indexOf(connection)
    if (index !== -1) origin.idle.splice(index, 1)
    if (origin.idle.length === 0) this.#idleOrigins.delete(origin)
    this.#slotFreed(origin)
  }

  #slotFreed(origin: Origin): void {
    origin.open -= 1
    const [next] = origin.waiting
    if (next !== undefined) {
      origin.waiting.delete(next)
      this.#open(origin, next)
    }
    this.#forgetIfUnused(origin)
  }

  #forgetIfUnused(origin: Origin): void {
    if (origin.open === 0 && origin.waiting.size === 0) this.#origins.delete(origin.key)
  }

  #makeRoom(): void {
    while (this.#owners.size >= this.#keptConnections) {
      const [oldest] = this.#idleOrigins.first?.idle ?? []
      if (oldest === undefined) return // all are busy
      oldest.destroy()
    }
  }
}
