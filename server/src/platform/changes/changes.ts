/**
 * Tells that things of an owner have changed: from the process that changed them to every process that shows them live.
 *
 * A process tells a change after its commit, by kind and id, without state: the receiver reads the things again. Nothing is
 * written to tables, and nothing is sent while nobody watches:
 *
 * - *Watching.* A process that shows things of an owner announces that to all processes, and again every `WATCH_AGAIN_MS`.
 *   Each treats the owner as watched for `WATCH_MS` from then on.
 * - *Telling.* Changes of watched owners go out to all processes, gathered for up to `FLUSH_MS`, in one statement outside
 *   the transactions that made them. If too much of one owner changed at once, the owner is told as a whole.
 * - *No gap when a watch begins.* A process keeps the changes of all owners for `RECENT_MS`, and tells them late if a watch
 *   of the owner arrives; a watch takes milliseconds to reach all processes. An owner with more than `RECENT_PER_OWNER` changes is told
 *   as a whole, and they are not kept: under load, tens of thousands of them would outlive the collections of young objects.
 * - *No gap otherwise.* A process that begins to listen does not know who is watched, nor which changes it has withheld or
 *   not heard: it tells everything as changed, and treats every owner as watched until every watch has been renewed or is over. After
 *   a failure to tell, it tells everything as changed too. Only a process that dies right after a commit can withhold a
 *   change; when it is back it begins to listen.
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

/** An owner's latest changes, the last of them at `atMs` of the monotonic clock; no changes if there were too many. */
type Recent = { atMs: number; changes: readonly Change[] | undefined }

/** What is to be told of an owner: ids by kind, or that anything may have changed. */
type Pending = Map<ChangeKind, Set<string>> | 'anything'

/** Is told of changes. */
export type ChangeListener = {
  /** Something of a watched owner changed. */
  changed(owner: string, kind: ChangeKind, ids: readonly string[]): void
  /** Anything of this owner may have changed; of any owner, if undefined. */
  anythingChanged(owner: string | undefined): void
  /** From now on, and for `WATCH_MS`, changes of this owner are heard. */
  watched(owner: string): void
}

/** How often a watch must be renewed. */
export const WATCH_AGAIN_MS = 20_000
/** How long a watch lasts: two renewals may get lost. */
export const WATCH_MS = 65_000

const FLUSH_MS = 100
const RECENT_MS = 3_000
/** Enough for what one person causes in that time. */
const RECENT_PER_OWNER = 32
const RETRY_MS = 1_000
/** Above this many changed things of one owner in one flush, the owner is told as a whole. */
export const MOST_PER_OWNER = 500

/** PostgreSQL takes 8,000 bytes per signal; an id has 36. */
const IDS_PER_SIGNAL = 200
const EVERYTHING = '*'

type Needs = { clock: Clock; db: Database; log: Log; signals: Signals }

/** This process's part: tells its own changes, and hears those of all processes. */
export class Changes {
  readonly #ctx: Needs
  readonly #listeners: ChangeListener[] = []
  readonly #closing = new AbortController()
  /** In order of expiry. */
  readonly #watchedUntil = new Map<string, number>()
  #allWatchedUntil = 0
  /** Recent changes by owner; the owner that changed last comes last. */
  readonly #recent = new Map<string, Recent>()
  #pending = new Map<string, Pending>()
  #everythingPending = false
  /** Changes are told outside the async context of whoever made the first of them: the others are not part of its trace. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #flushing: Promise<void> | undefined

  constructor(ctx: Needs) {
    this.#ctx = ctx
    ctx.signals.on('watched', (owners) => (owners === undefined ? this.#begin() : this.#hearWatch(owners.split(','))))
    ctx.signals.on('changed', (subject) => this.#hearChange(subject))
  }

  /** Tells changes once the transaction has committed. */
  note(_tx: Tx, changes: readonly Change[]): void {
    afterCommit(() => this.tell(changes))
  }

  /** Tells changes that have been committed. Cheap while nobody watches: the hot path calls it. */
  tell(changes: readonly Change[]): void {
    const now = this.#now()
    this.#remember(changes)
    if (this.#watchedUntil.size > 0 || this.#allWatchedUntil > now)
      this.#queue(changes.filter(({ owner }) => this.#isWatched(owner, now)))
  }

  /** Makes all processes tell the changes of these owners from now on. To be repeated every `WATCH_AGAIN_MS`. */
  async watch(owners: readonly string[]): Promise<void> {
    if (owners.length === 0) return
    const now = this.#now()
    for (const owner of owners) this.#prolong(owner, now)
    await this.#ctx.signals.broadcast(this.#ctx.db.root, 'watched', inChunks(owners))
  }

  listen(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** Waits until the pending changes have been told, or telling them fails. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#flushing
  }

  /** Milliseconds: a clock that is set must neither end watches nor prolong them. */
  #now(): number {
    return this.#ctx.clock.monotonicMs()
  }

  #remember(changes: readonly Change[]): void {
    this.#forgetOld()
    const atMs = this.#now()
    for (const [owner, own] of Map.groupBy(changes, (one) => one.owner)) {
      const before: Pick<Recent, 'changes'> = this.#recent.get(owner) ?? { changes: [] }
      const all = before.changes?.concat(own)
      this.#recent.delete(owner)
      this.#recent.set(owner, { atMs, changes: all !== undefined && all.length <= RECENT_PER_OWNER ? all : undefined })
    }
  }

  #forgetOld(): void {
    const fromMs = this.#now() - RECENT_MS
    for (const [owner, { atMs }] of this.#recent) {
      if (atMs >= fromMs) return
      this.#recent.delete(owner)
    }
  }

  #isWatched(owner: string, now: number): boolean {
    return this.#allWatchedUntil > now || (this.#watchedUntil.get(owner) ?? 0) > now
  }

  #prolong(owner: string, now: number): void {
    for (const [one, until] of this.#watchedUntil) {
      if (until > now) break
      this.#watchedUntil.delete(one)
    }
    this.#watchedUntil.delete(owner)
    this.#watchedUntil.set(owner, now + WATCH_MS)
  }

  /** Listening has begun: neither the watches nor earlier changes are known. */
  #begin(): void {
    this.#allWatchedUntil = this.#now() + WATCH_MS
    this.#tellEverything()
  }

  #hearWatch(owners: readonly string[]): void {
    const now = this.#now()
    const fresh = owners.filter((owner) => !this.#isWatched(owner, now))
    for (const owner of owners) this.#prolong(owner, now)
    for (const listener of this.#listeners) for (const owner of owners) listener.watched(owner)
    this.#forgetOld()
    for (const owner of fresh) {
      const recent = this.#recent.get(owner)
      if (recent?.changes !== undefined) this.#queue(recent.changes)
      else if (recent !== undefined) this.#queueWhole(owner)
    }
  }

  #hearChange(subject: string | undefined): void {
    const [owner, kind, ids] = subject?.split('/') ?? []
    for (const listener of this.#listeners) {
      if (owner === undefined || owner === EVERYTHING) listener.anythingChanged(undefined)
      else if (kind === undefined || ids === undefined) listener.anythingChanged(owner)
      else listener.changed(owner, kind as ChangeKind, ids.split(',')) // only `#take` below makes these
    }
  }

  #tellEverything(): void {
    this.#everythingPending = true
    this.#flush()
  }

  #queue(changes: readonly Change[]): void {
    if (changes.length === 0) return
    for (const { owner, kind, id } of changes) {
      const kinds = this.#pending.get(owner) ?? new Map<ChangeKind, Set<string>>()
      if (kinds === 'anything') continue
      this.#pending.set(owner, kinds.set(kind, (kinds.get(kind) ?? new Set()).add(id)))
    }
    this.#flush()
  }

  #queueWhole(owner: string): void {
    this.#pending.set(owner, 'anything')
    this.#flush()
  }

  #flush(): void {
    this.#flushing ??= this.#outside(() => this.#flushAll())
  }

  async #flushAll(): Promise<void> {
    // Changes of one commit are told together.
    await endOfTurn()
    while (this.#everythingPending || this.#pending.size > 0) {
      const { signals, db, clock, log } = this.#ctx
      try {
        await signals.broadcast(db.root, 'changed', this.#take())
        await clock.sleep(FLUSH_MS, this.#closing.signal)
      } catch (error) {
        log.warn('changes.not_told', { error: errorField(error) })
        if (this.#closing.signal.aborted) break
        this.#everythingPending = true
        await clock.sleep(RETRY_MS, this.#closing.signal)
      }
    }
    this.#flushing = undefined
  }

  #take(): string[] {
    const everything = this.#everythingPending
    const pending = this.#pending
    this.#everythingPending = false
    this.#pending = new Map()
    if (everything) return [EVERYTHING]
    return [...pending].flatMap(([owner, kinds]) => {
      if (kinds === 'anything' || isMuch(kinds)) return [`${owner}/${EVERYTHING}`]
      return [...kinds].flatMap(([kind, ids]) => inChunks([...ids]).map((chunk) => `${owner}/${kind}/${chunk}`))
    })
  }
}

function isMuch(kinds: Exclude<Pending, string>): boolean {
  return kinds.values().reduce((sum, ids) => sum + ids.size, 0) > MOST_PER_OWNER
}

function inChunks(ids: readonly string[]): string[] {
  const count = Math.ceil(ids.length / IDS_PER_SIGNAL)
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * IDS_PER_SIGNAL, (index + 1) * IDS_PER_SIGNAL).join(','),
  )
}
