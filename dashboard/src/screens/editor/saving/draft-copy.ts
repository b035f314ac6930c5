import { changesOf, type Draft, type Field, fieldsOf, pick } from '../draft.ts'
import type { Copy, Shelf } from './draft-shelf.ts'
import type { EditState } from './edit-state.ts'
import { tagOf } from './stored.ts'

const KEEP_AFTER_MS = 300

/** The copy of a post's unsaved changes on the draft shelf: written while somebody types, removed when the service has them. */
export class DraftCopy {
  readonly #state: EditState
  readonly #shelf: Shelf
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(state: EditState, shelf: Shelf) {
    this.#state = state
    this.#shelf = shelf
  }

  read(): Copy | undefined {
    return this.#shelf.read(this.#state.id)
  }

  remove(): void {
    this.#shelf.remove(this.#state.id)
  }

  /** Writes it within a third of a second. */
  keepSoon(): void {
    this.#timer ??= setTimeout(() => this.keep(), KEEP_AFTER_MS)
  }

  /** Writes it now, or removes it when nothing is unsaved. */
  keep(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { id, stored, draft, base, changes, view, creating, attempted, readOnly } = this.#state
    // Another tab's text may be newer. Until a conflict is decided, only the copy has both `mine` and `was`.
    if (readOnly || view.conflict !== undefined) return
    const fields = fieldsOf(changes)
    if (fields.length === 0 && view.lost.length === 0) {
      this.remove()
      this.#state.show({ kept: true })
      return
    }
    const all: Field[] = fields.length === 0 ? ['body'] : fields
    const sent = creating?.sent ?? attempted
    const kept = this.#shelf.write(id, {
      seen: stored && tagOf(stored),
      was: pick(base, all),
      mine: pick(draft, all),
      at: Date.now(),
      sent: sent && changesOf(base, sent),
      key: creating?.key,
    })
    this.#state.show({ kept })
  }

  /** Adds fields to it; `was` counts only for fields that it does not have. False when there is none, or no room. */
  add(was: Partial<Draft>, mine: Partial<Draft>): boolean {
    const copy = this.read()
    if (copy === undefined) return false
    return this.#shelf.write(this.#state.id, {
      ...copy,
      was: { ...was, ...copy.was },
      mine: { ...copy.mine, ...mine },
    })
  }
}
