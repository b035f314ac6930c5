/**
 * Notifies every process of what has changed, after the commit: whose it is, its kind and its id, no state. Who hears of it reads
 * again. The first change goes out at once; those of the next `FLUSH_MS` go out together, in one statement outside the transactions
 * that made them. Of an owner with more than `MOST_PER_OWNER` changes at once only that is said: anything may have changed. So a
 * burst of any size costs a few hundred ids of memory, and one short signal per flush.
 *
 * Nothing is stored. What may have been missed is said as "anything may have changed": by a process that begins to listen or
 * could not listen for a while to its own streams, and by one that starts to everybody, because its predecessor may have died between
 * a commit and its notification.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'
import { afterCommit, type Database, type Tx } from '../db/database.ts'
import { endOfTurn } from '../end-of-turn.ts'
import { errorField, type Log } from '../log.ts'
import type { Signals } from '../signals.ts'
import type { ChangeKind } from './kinds.ts'

/** A thing that has changed, come or gone; its owner is an account. */
export type Change = { owner: string; kind: ChangeKind; id: string }

/** What has changed of one owner: ids by kind, or anything. */
export type Changed = ReadonlyMap<ChangeKind, ReadonlySet<string>> | 'anything'

/** Receives what has changed of an owner; of any owner if that is undefined. */
export type ChangeListener = (owner: string | undefined, changed: Changed) => void

/** So many ids, of 36 characters each, fit into one signal of PostgreSQL. */
export const MOST_PER_OWNER = 200

const FLUSH_MS = 500
const RETRY_MS = 1_000
const EVERYBODY = '*'

type Needs = { clock: Clock; db: Database; log: Log; signals: Signals }

/** This process's part: notifies all processes of its own changes, and receives those of all. */
export class Changes {
  readonly #ctx: Needs
  readonly #listeners: ChangeListener[] = []
  readonly #closing = new AbortController()
  #pending = new Map<string, Map<ChangeKind, Set<string>> | 'anything'>()
  #everybodyPending = true
  /** Flushes run outside the async context of whoever made the first change: the others are not part of its trace. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #flushing: Promise<void> | undefined

  constructor(ctx: Needs) {
    this.#ctx = ctx
    ctx.signals.on('changed', (subject) => this.#receive(subject))
    this.#flush()
  }

  /** Notifies of changes once the transaction has committed. */
  note(_tx: Tx, changes: readonly Change[]): void {
    afterCommit(() => this.announce(changes))
  }

  /** Notifies of changes that have been committed. Cheap: the hot path calls it. */
  announce(changes: readonly Change[]): void {
    if (changes.length === 0) return
    for (const { owner, kind, id } of changes) this.#add(owner, kind, id)
    this.#flush()
  }

  listen(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Waits until all processes have been notified of the pending changes, or that fails. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#flushing
  }

  #add(owner: string, kind: ChangeKind, id: string): void {
    const kinds = this.#pending.get(owner) ?? new Map<ChangeKind, Set<string>>()
    if (kinds === 'anything') return
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(id))
    const count = kinds.values().reduce((sum, ids) => sum + ids.size, 0)
    this.#pending.set(owner, count > MOST_PER_OWNER ? 'anything' : kinds)
  }

  #flush(): void {
    this.#flushing ??= this.#outside(() => this.#flushAll())
  }

  async #flushAll(): Promise<void> {
    await endOfTurn()
    const { signals, db, clock, log } = this.#ctx
    while (this.#everybodyPending || this.#pending.size > 0) {
      const subjects = this.#everybodyPending ? [EVERYBODY] : [...this.#pending].flatMap(subjectsOf)
      this.#everybodyPending = false
      this.#pending = new Map()
      try {
        await signals.broadcast(db.root, 'changed', subjects)
        await clock.sleep(FLUSH_MS, this.#closing.signal)
      } catch (error) {
        log.warn('changes.not_sent', { error: errorField(error) })
        if (this.#closing.signal.aborted) break
        this.#everybodyPending = true
        await clock.sleep(RETRY_MS, this.#closing.signal)
      }
    }
    this.#flushing = undefined
  }

  #receive(subject: string = EVERYBODY): void {
    const [owner, kind, ids] = subject.split('/')
    // Only `subjectsOf` makes subjects.
    const changed = kind === undefined || ids === undefined ? 'anything' : new Map([[kind as ChangeKind, new Set(ids.split(','))]]) // biome-ignore format: one thought
    for (const listener of this.#listeners) listener(owner === EVERYBODY ? undefined : owner, changed)
  }
}

function subjectsOf([owner, kinds]: [string, Changed]): string[] {
  if (kinds === 'anything') return [owner]
  return [...kinds].map(([kind, ids]) => `${owner}/${kind}/${[...ids].join(',')}`)
}
