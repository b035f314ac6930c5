/**
 * Unsaved changes, kept in this browser. A copy is written while somebody types and removed when the service has stored the
 * changes, so they survive a closed tab, a lost connection and an ended session. Copies are in localStorage because it writes
 * before the call returns, even while the page is being left. A copy belongs to an account and is shown to no other.
 */
import type { Draft } from '../draft.ts'

/**
 * The changed fields, and the same fields before, in what the service recognises by `seen` (undefined: the post was not stored yet).
 * `at` is milliseconds since 1970. `sent`: the changes in a request that has no answer yet, so that what it may have stored is
 * recognised after a reload too; `key`: the idempotency key of that request if it creates the post.
 */
export type Copy = {
  seen?: number | string | undefined
  was: Partial<Draft>
  mine: Partial<Draft>
  at: number
  sent?: Partial<Draft> | undefined
  key?: string | undefined
}

/** A copy, and the post's id or local id. */
export type Kept = { id: string; copy: Copy }

/** The storage of copies, one per account. */
export type Shelf = {
  read(id: string): Copy | undefined
  /** False when the browser has no room, or allows no storage. */
  write(id: string, copy: Copy): boolean
  remove(id: string): void
  /** All copies, by the id of their post, or the local id of one that was never stored; latest first. */
  all(): Kept[]
}

const NEW = 'new-'

/** Whether this is the local id of a post that is not stored yet. */
export function isNew(id: string): boolean {
  return id.startsWith(NEW)
}

/** The shelf of an account. */
export function shelfOf(accountId: string, storage: Storage = localStorage): Shelf {
  const prefix = `postrider.draft.${accountId}.`
  const read = (id: string) => parse(attempt(() => storage.getItem(prefix + id)))
  return {
    read,
    write: (id, copy) =>
      attempt(() => {
        storage.setItem(prefix + id, JSON.stringify(copy))
        return true
      }) ?? false,
    remove: (id) => void attempt(() => storage.removeItem(prefix + id)),
    all() {
      const keys = attempt(() => Object.keys(storage)) ?? []
      return keys
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => {
          const id = key.slice(prefix.length)
          const copy = read(id)
          return copy === undefined ? [] : [{ id, copy }]
        })
        .sort((a, b) => b.copy.at - a.copy.at)
    },
  }
}

/**
 * The local id of the new post in this tab. It survives a reload of the tab, and every tab has its own.
 */
export function newPostId(): string {
  const known = attempt(() => sessionStorage.getItem('postrider.new'))
  if (known != null && isNew(known)) return known
  const id = `${NEW}${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
  attempt(() => sessionStorage.setItem('postrider.new', id))
  return id
}

/** Makes the next new post of this tab a fresh one, or the one with this local id. */
export function nextNewPost(id?: string): void {
  attempt(() =>
    id === undefined ? sessionStorage.removeItem('postrider.new') : sessionStorage.setItem('postrider.new', id),
  )
}

/** Runs an access to storage; undefined if the browser forbids it and throws. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** A copy in the form that this version of the page understands, or undefined. */
function parse(text: string | null | undefined): Copy | undefined {
  const value: unknown = text == null ? undefined : attempt(() => JSON.parse(text))
  if (typeof value !== 'object' || value === null) return undefined
  const { was, mine, at } = value as Partial<Copy>
  const isPart = (part: unknown) => typeof part === 'object' && part !== null
  if (!isPart(was) || !isPart(mine) || typeof at !== 'number') return undefined
  return value as Copy // the shape was checked, and only this page writes here
}
