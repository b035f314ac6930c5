/** What makes an object fit for a `LinkedList`; it can be in one at a time. */
export class Linked<Self extends Linked<Self>> {
  list: LinkedList<Self> | undefined
  before: Self | undefined
  after: Self | undefined
}

/**
 * Objects in the order in which they joined; each can leave at any time.
 *
 * For what comes and goes with every attempt, where a `Set` costs far more than its time: it moves to a new table again and again, and
 * the table it leaves refers to the new one and to everything in it. V8 collects young objects often, and old ones seldom: once one
 * of these tables has grown old, each later one is kept until the next full collection, with all attempts that were in flight
 * when it was left (decision 37).
 */
export class LinkedList<T extends Linked<T>> {
  first: T | undefined
  #last: T | undefined
  size = 0

  /** Adds an object at the end; one that is in the list already keeps its place. */
  add(item: T): void {
    if (item.list === this) return
    if (item.list !== undefined) throw new TypeError('it is in another list')
    item.list = this
    item.before = this.#last
    if (this.#last === undefined) this.first = item
    else this.#last.after = item
    this.#last = item
    this.size += 1
  }

  /** A copy of the list: changes made while somebody goes through it do not affect it. */
  toArray(): T[] {
    const all: T[] = []
    for (let item = this.first; item !== undefined; item = item.after) all.push(item)
    return all
  }

  /** Takes an object out; returns whether it was in. It keeps no link, or it would keep the others alive. */
  delete(item: T): boolean {
    if (item.list !== this) return false
    const { before, after } = item
    if (before === undefined) this.first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    item.list = undefined
    item.before = undefined
    item.after = undefined
    this.size -= 1
    return true
  }
}
