/** Addresses of pictures in the texts of posts, whatever these are written in: they stand between spaces, quotes and brackets. */
import type { SourcePost } from './source-post.ts'

const ENDING = String.raw`\.(?:jpe?g|png|gif|webp|avif)`
const AFTER = String.raw`(?=$|[?#\s"')>])`
/** What an address has no space in, and between quotes or in angle brackets what it may have one in. */
const NAMED = [
  new RegExp(String.raw`(?<=^|[\s"'(<])[^\s"'()<>?#]{1,1000}?${ENDING}${AFTER}`, 'gi'),
  new RegExp(String.raw`(?<=["'<])[^"'<>?#\n]{1,500}${ENDING}(?=["'>?#])`, 'gi'),
]

/** The addresses in a post that end as pictures do, without queries. */
export function pictureAddressesIn({ body, meta }: SourcePost): Set<string> {
  const texts = [body.html ?? '', body.markdown ?? '', meta.og_image ?? '']
  return new Set(NAMED.flatMap((pattern) => texts.flatMap((text) => text.match(pattern) ?? [])))
}

/** Of an address that a service like this one gave a picture: its hash and its name. */
export function ownParts(address: string): { hash: string; name: string } | undefined {
  const [, hash, name] = /(?:^|\/)media\/([0-9a-f]{32})\/([^/?#]+)$/.exec(address) ?? []
  return hash === undefined || name === undefined ? undefined : { hash, name }
}

/** A post with other addresses of its pictures. */
export function withAddresses(source: SourcePost, addresses: ReadonlyMap<string, string>): SourcePost {
  if (addresses.size === 0) return source
  const { html, markdown, json } = source.body
  const replaced = replacer(addresses)
  const { og_image } = source.meta
  return {
    ...source,
    body: {
      ...(html === undefined ? {} : { html: replaced(html) }),
      ...(markdown === undefined ? {} : { markdown: replaced(markdown) }),
      ...(json === undefined ? {} : { json: JSON.parse(replaced(JSON.stringify(json))) }),
    },
    meta: { ...source.meta, ...(og_image === undefined ? {} : { og_image: replaced(og_image) }) },
  }
}

/** Everything that an address may be in a text: between quotes or in angle brackets, and what has no space in it. */
const TOKENS = [/(?<=["'<])[^"'<>\n]{1,2000}(?=["'>])/g, /(?<=^|[\s"'(<])[^\s"'()<>\\]{1,2000}/g]

function replacer(addresses: ReadonlyMap<string, string>): (text: string) => string {
  const replace = (token: string) => {
    const address = token.replaceAll('&amp;', '&')
    const exact = addresses.get(address)
    if (exact !== undefined) return exact
    const [path = ''] = address.split(/[?#]/, 1)
    const to = addresses.get(path)
    // A query asks our own service for a size, is nothing to a file of an archive, and makes another address of any other.
    if (to === undefined || (/^https?:/i.test(path) && ownParts(path) === undefined)) return token
    return ownParts(path) === undefined ? to : to + token.slice(token.search(/[?#]/))
  }
  return (text) => TOKENS.reduce((all, pattern) => all.replaceAll(pattern, replace), text)
}
