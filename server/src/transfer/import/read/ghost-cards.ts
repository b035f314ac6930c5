/** The cards of Ghost's editors as HTML. Both editors, the present one and the one before, name their values alike. */
import { escapeHtml } from '../../../platform/html.ts'

/** A card's values, or a node of the editor's document. */
export type Values = { readonly [name: string]: unknown }

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const attribute = (value: unknown) => escapeHtml(text(value))
const link = (url: unknown, label: string) => `<a href="${attribute(url)}">${label === '' ? attribute(url) : label}</a>`
const figure = (content: string, caption: unknown) =>
  `<figure>${content}${text(caption) === '' ? '' : `<figcaption>${text(caption)}</figcaption>`}</figure>`

function picture(values: Values): string {
  const image = `<img src="${attribute(values.src)}" alt="${attribute(values.alt)}">`
  return text(values.href) === '' ? image : `<a href="${attribute(values.href)}">${image}</a>`
}

const asValues = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {})

const CARDS: Record<string, (values: Values) => string> = {
  audio: ({ src, title }) => figure(`<audio src="${attribute(src)}" controls></audio>`, attribute(title)),
  bookmark: ({ url, metadata, caption }) => figure(link(url, attribute(asValues(metadata).title)), caption),
  button: ({ buttonUrl, buttonText }) => `<p>${link(buttonUrl, attribute(buttonText))}</p>`,
  callout: ({ calloutText }) => `<blockquote>${text(calloutText)}</blockquote>`,
  code: ({ code, language, caption }) => {
    const name = text(language).split(/\s/)[0] ?? ''
    const block = `<pre><code${/^[\w+#-]+$/.test(name) ? ` class="language-${name}"` : ''}>${attribute(code)}</code></pre>`
    return text(caption) === '' ? block : figure(block, caption)
  },
  embed: ({ html, url, caption }) => figure(text(html) === '' ? link(url, '') : text(html), caption),
  file: ({ src, fileTitle, fileName }) => `<p>${link(src, attribute(fileTitle) || attribute(fileName))}</p>`,
  gallery: ({ images, caption }) => {
    const all = Array.isArray(images) ? images.map((one) => figure(picture(asValues(one)), asValues(one).caption)) : []
    return all.join('') + (text(caption) === '' ? '' : `<p>${text(caption)}</p>`)
  },
  header: ({ header, subheader }) => `<h2>${text(header)}</h2><p>${text(subheader)}</p>`,
  hr: () => '<hr>',
  html: ({ html }) => text(html),
  image: (values) => figure(picture(values), values.caption),
  product: ({ productTitle, productDescription, productUrl }) =>
    `<h3>${text(productTitle)}</h3><p>${text(productDescription)}</p><p>${link(productUrl, '')}</p>`,
  toggle: ({ heading, content }) => `<details><summary>${text(heading)}</summary>${text(content)}</details>`,
  video: ({ src, caption }) => figure(`<video src="${attribute(src)}" controls></video>`, caption),
}

/** Other names of cards. */
const ALIASES: Record<string, string> = { codeblock: 'code', horizontalrule: 'hr', 'card-markdown': 'markdown' }
/** What readers of the blog do not see. */
const UNSEEN = new Set(['email', 'email-cta', 'paywall', 'signup', 'call-to-action'])

/** The name by which a card is known here. */
export const cardName = (name: string): string => ALIASES[name] ?? name

/** A card as HTML; undefined if nobody knows it. */
export function cardHtml(name: string, values: Values): string | undefined {
  if (UNSEEN.has(name)) return ''
  const known = cardName(name)
  return Object.hasOwn(CARDS, known) ? CARDS[known]?.(values) : undefined
}
