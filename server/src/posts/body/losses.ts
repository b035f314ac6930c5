/** What a conversion could not keep of a body, so that its author can be told. */

/** What kind of thing was lost; `form_cannot_hold`: it is still in one form of the body, but not in the others. */
export const LOSS_CODES = [
  'element_removed',
  'attribute_removed',
  'link_removed',
  'media_removed',
  'form_cannot_hold',
] as const
export type LossCode = (typeof LOSS_CODES)[number]

/** One kind of loss: `count` times in the form `field` (`html`, `markdown` or `json`). The message is a sentence or two. */
export type Loss = { code: LossCode; field: string; message: string; count: number }

/** Different losses of one conversion; further ones count as the last of their code. */
const MOST_LOSSES = 50

/** Collects the losses of one conversion; equal ones are counted. */
export class Losses {
  readonly #losses = new Map<string, Loss>()

  note(field: string, code: LossCode, message: string): void {
    const loss = this.#losses.get(`${code} ${message}`) ?? this.#added({ code, field, message, count: 0 })
    loss.count += 1
  }

  /** In the order in which each kind was first noted. */
  all(): Loss[] {
    return [...this.#losses.values()]
  }

  #added(loss: Loss): Loss {
    const others = this.#losses.size < MOST_LOSSES ? undefined : this.all().findLast(({ code }) => code === loss.code)
    if (others !== undefined) return others
    this.#losses.set(`${loss.code} ${loss.message}`, loss)
    return loss
  }
}
