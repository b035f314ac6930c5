/** WordPress's shortcodes: those that show pictures, frames and code become HTML; others stay as they are written, and are named. */

import { escapeHtml } from '../../../platform/html.ts'
import { embedOf } from '../../../posts/index.ts'
import { type ImportLoss, oneLoss } from '../source-post.ts'
import { replacePairs } from './scan.ts'

/** A picture that a gallery may name. */
export type Attachment = { url: string; alt: string; caption: string }

/** Pictures by their ids. */
export type Attachments = ReadonlyMap<string, Attachment>

const CODE = /\[(code|sourcecode|php|js|javascript|css|html|xml|bash|python|ruby|java|sql)\b([^\][]{0,500})\]/gi
const CAPTION = /\[((?:wp_)?caption)\b([^\][]{0,5000})\]/gi
const GALLERY = /\[gallery\b([^\][]{0,5000})\]/gi
const EMBED = /\[(embed|youtube|vimeo)\b([^\][]{0,1000})\](?:\s{0,20}([^[\s]{1,2000})\s{0,20}\[\/\1\])?/gi
const MEDIA = /\[(video|audio)\b([^\][]{0,2000})\](?:\s{0,20}\[\/\1\])?/gi
const ADDRESS_ALONE = /^[ \t]*(https?:\/\/[^\s<]+)[ \t]*$/gm
const LITERAL = /<(pre|code|script|style|textarea)\b[^<>]{0,2000}>/gi

/** Stand around the number of a piece that is left alone. Nobody's text has them. */
const [MARK, END] = ['\u{F0000}', '\u{F0001}']
const KEPT = new RegExp(`${MARK}(\\d+)${END}`, 'gu')

/** Replaces the shortcodes of a text. */
export function withoutShortcodes(text: string, attachments: Attachments): { html: string; losses: ImportLoss[] } {
  const kept: string[] = []
  const keep = (html: string) => `${MARK}${kept.push(html) - 1}${END}`
  const restored = (html: string): string => html.replaceAll(KEPT, (_, index) => restored(kept[Number(index)] ?? ''))
  const bracket = (name: string) => `[/${name}]`
  let html = text.replaceAll(/[\u{F0000}\u{F0001}]/gu, '')
  html = replacePairs(html, CODE, bracket, ([, name = '', given = ''], code) =>
    apart(keep(codeBlock(name, given, code))),
  )
  html = replacePairs(
    html,
    LITERAL,
    (name) => `</${name}>`,
    (_, _inner, whole) => keep(whole),
  )
  html = replacePairs(html, CAPTION, bracket, ([, , given = ''], inner) => captioned(given, inner))
    .replaceAll(GALLERY, (whole, given) => gallery(given, attachments) ?? whole)
    .replaceAll(EMBED, (whole, _, given, inner) => embedded(inner ?? addressIn(given)) ?? whole)
    .replaceAll(MEDIA, (whole, name, given) => media(name, given) ?? whole)
    .replaceAll(ADDRESS_ALONE, (whole, url) => embedded(url, true) ?? whole)
  return { html: restored(html), losses: unknownOf(html) }
}

const apart = (html: string) => `\n\n${html}\n\n`

const ATTRIBUTE = /([\w-]{1,40})\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s'"\]]+))/g

function attributesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name = '', a, b, c]) => [name.toLowerCase(), a ?? b ?? c ?? '']))
}

function codeBlock(name: string, given: string, code: string): string {
  const attributes = attributesOf(given)
  const isAny = /^(?:source)?code$/i.test(name)
  const language = attributes.get('language') ?? attributes.get('lang') ?? (isAny ? '' : name.toLowerCase())
  const className = /^[\w+#-]+$/.test(language) ? ` class="language-${language}"` : ''
  // The visual editor stores the signs of the code as entities.
  const plain = /[<>]/.test(code) ? code : unescaped(code)
  return `<pre><code${className}>${escapeHtml(plain.replace(/^\n+/, '').trimEnd())}</code></pre>`
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

function captioned(given: string, inner: string): string {
  const pattern = /^\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*<\/a>)?)([\s\S]*)$/i
  const [, picture = '', rest = ''] = pattern.exec(inner) ?? []
  if (picture === '') return inner
  return figure(picture, rest.trim() === '' ? escapeHtml(attributesOf(given).get('caption') ?? '') : rest.trim())
}

const figure = (content: string, caption: string) =>
  apart(`<figure>${content}${caption === '' ? '' : `<figcaption>${caption}</figcaption>`}</figure>`)

/** Undefined if none of its pictures is known. */
function gallery(given: string, attachments: Attachments): string | undefined {
  const attributes = attributesOf(given)
  const ids = (attributes.get('ids') ?? attributes.get('include') ?? '').split(',')
  const pictures = ids.flatMap((id) => attachments.get(id.trim()) ?? [])
  if (pictures.length === 0) return undefined
  const shown = ({ url, alt, caption }: Attachment) =>
    figure(`<img src="${escapeHtml(url)}" alt="${escapeHtml(alt)}">`, escapeHtml(caption))
  return pictures.map(shown).join('')
}

/** The address in the attributes of a shortcode, which may stand there alone. */
function addressIn(given: string): string | undefined {
  const attributes = attributesOf(given)
  const named = ['url', 'src', 'id'].map((name) => attributes.get(name)).find((value) => value !== undefined)
  return named ?? /^[\s=]*["']?([^\s"']+)/.exec(given)?.[1]
}

/** A frame, or a link in a paragraph of its own; of what stands `alone`, only a frame. */
function embedded(given: string | undefined, alone = false): string | undefined {
  const address = given === undefined ? '' : unescaped(given)
  const url = /^[\w-]{11}$/.test(address) ? `https://www.youtube.com/watch?v=${address}` : address
  if (!/^https?:\/\//.test(url)) return undefined
  const src = embedOf(url)?.src
  if (src !== undefined) return apart(`<iframe src="${escapeHtml(src)}"></iframe>`)
  return alone ? undefined : apart(`<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`)
}

const SOURCES = ['src', 'mp4', 'webm', 'm4v', 'mp3', 'ogg', 'wav', 'm4a']

function media(name: string, given: string): string | undefined {
  const attributes = attributesOf(given)
  const src = SOURCES.map((key) => attributes.get(key)).find((value) => value !== undefined)
  return src === undefined ? undefined : apart(`<${name} src="${escapeHtml(src)}" controls></${name}>`)
}

/** The shortcodes that are left: those with attributes, or with an end. */
function unknownOf(html: string): ImportLoss[] {
  const ends = new Set([...html.matchAll(/\[\/([\w-]{1,40})\]/g)].map(([, name]) => name))
  const names = new Map<string, number>()
  for (const [, name = '', given = ''] of html.matchAll(/\[([a-z][\w-]{1,39})\b([^\]\n]{0,500})\](?!\()/gi))
    if (given.includes('=') || ends.has(name)) names.set(name, (names.get(name) ?? 0) + 1)
  const sentence = (name: string) =>
    `The shortcode [${name}] stays in the text as it is written: only its plugin knows what it shows.`
  return [...names].slice(0, 50).map(([name, count]) => oneLoss('shortcode', sentence(name), count))
}
