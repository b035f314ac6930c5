import { escapeHtml } from '../../platform/html.ts'

/** A piece of HTML that was built by `html`. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** HTML from a template. Texts and numbers in it are escaped; pieces of HTML are not. */
export function html(template: TemplateStringsArray, ...values: ReadonlyArray<string | number | Html | Html[]>): Html {
  const pieces = values.map((value) => {
    if (value instanceof Html) return value.text
    if (Array.isArray(value)) return value.map(({ text }) => text).join('')
    return escapeHtml(String(value))
  })
  return new Html(String.raw({ raw: template }, ...pieces))
}
