import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { decodedPart } from '../../../platform/http/url.ts'

/** The text of a piece of HTML, without tags and entities, in one line. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html.replaceAll(/\s+/g, ' ').trim()
  const texts: string[] = []
  const collect = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#text') texts.push((node as DefaultTreeAdapterTypes.TextNode).value)
    else if ('childNodes' in node) for (const child of node.childNodes) collect(child)
  }
  collect(parseFragment(html.slice(0, 100_000)))
  return texts.join('').replaceAll(/\s+/g, ' ').trim()
}

/** An instant as ISO 8601, or undefined if it is none. A time without an offset is in UTC. */
export function instantOf(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  if (typeof value === 'number') return instantOf(new Date(value))
  if (typeof value !== 'string' || !/^\s*\d{4}-\d{2}-\d{2}/.test(value)) return undefined
  const [, date = '', time = '00:00:00', zone = 'Z'] =
    /^\s*(\d{4}-\d{2}-\d{2})(?:[T ]+(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|[+-]\d{2}:?\d{2})?/i.exec(value) ?? []
  const ms = Date.parse(`${date}T${time}${/^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`)
  // Years that no blog has are mistakes, and not every year can be stored.
  return ms >= Date.UTC(1970, 0) && ms < Date.UTC(2200, 0) ? new Date(ms).toISOString() : undefined
}

/** The last part of an address's path: what a post is called in it. */
export function lastPart(address: string): string {
  const path = URL.parse(address, 'https://relative.invalid')?.pathname ?? ''
  const part = path.split('/').findLast((one) => one !== '' && !/^index\.\w+$/.test(one)) ?? ''
  return decodedPart(part.replace(/\.(?:html?|php|aspx?)$/, ''))
}
