/** Recognising a post in the page that should show it. */
import { type Markup, readMarkup } from '../sites/index.ts'

/** What a post is recognised by. */
export type Recognisable = { id: string; version: number; title: string; meta: { canonical_url?: string | null } }

/**
 * Whether the page at an address, whole or cut off, shows a post: it has the post's id in `<meta name="postrider-post" content="ID">`, the
 * canonical address that the site was sent, or the title, in text or as the name that chats show. A canonical address that is the page's own
 * proves nothing: many sites put the address that was asked for into every page, also into one that says that there is nothing.
 * `earlier`: it says by `<meta name="postrider-version">` that it shows an earlier version of the post.
 */
export function showsPost(page: string, address: URL, post: Recognisable): boolean | 'earlier' {
  const markup = readMarkup(page)
  if (!isOf(markup, address, post)) return false
  const [version] = contentsOf(markup, 'postrider-version')
  return version !== undefined && Number(version) < post.version ? 'earlier' : true
}

function isOf(markup: Markup, address: URL, { id, title, meta }: Recognisable): boolean {
  const sent = meta.canonical_url ?? address.href
  const canonical = isSameAddress(sent, address.href) ? undefined : sent
  return (
    contentsOf(markup, 'postrider-post').some((content) => content.trim().toLowerCase() === id) ||
    (canonical !== undefined && canonicalsOf(markup).some((href) => isSameAddress(href, canonical))) ||
    containsWords([markup.text, ...contentsOf(markup, 'og:title'), ...contentsOf(markup, 'twitter:title')], title)
  )
}

function contentsOf({ tags }: Markup, name: string): string[] {
  return tags.flatMap(({ name: tag, attributes }) => {
    const isNamed = attributes.get('name') === name || attributes.get('property') === name
    return tag === 'meta' && isNamed ? [attributes.get('content') ?? ''] : []
  })
}

function canonicalsOf({ tags }: Markup): string[] {
  return tags.flatMap(({ name, attributes }) =>
    name === 'link' && attributes.get('rel')?.toLowerCase() === 'canonical' ? [attributes.get('href') ?? ''] : [],
  )
}

function isSameAddress(one: string, other: string): boolean {
  const plain = (address: string) => URL.parse(address)?.href.replace(/\/$/, '')
  return plain(one) !== undefined && plain(one) === plain(other)
}

/** By words alone: themes exchange quotes and dashes, and write letters large. */
function containsWords(texts: readonly string[], title: string): boolean {
  const words = (text: string) =>
    ` ${text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim()} `
  const wanted = words(title)
  return wanted.trim() !== '' && texts.some((text) => words(text).includes(wanted))
}
