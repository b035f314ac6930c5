/** Pictures, players and frames in the one HTML form that each is stored in. */
import type { Element, ElementContent, Properties } from 'hast'
import type { LossCode } from './losses.ts'
import { safeImageSrc, safeMediaSrc, schemeOf } from './urls.ts'

type Note = (code: LossCode, message: string) => void
type Size = { width?: Properties[string]; height?: Properties[string] }

/** A width or height in pixels, as a number or its text; undefined for anything else (`100%`). */
export function pixels(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,5}(?:px)?$/.test(value.trim()) ? Number.parseInt(value, 10) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= 20_000 ? number : undefined
}

/** The only HTML form of an embed; `src` comes from `embedOf`. */
export function embedElement(src: string, { width, height }: Size = {}): Element {
  const size = { width: pixels(width) ?? 560, height: pixels(height) ?? 315 }
  const properties = { src, ...size, loading: 'lazy', allowFullScreen: true }
  return { type: 'element', tagName: 'iframe', properties, children: [] }
}

/** The picture with an address that sites can show, or nothing. Scripts that load pictures late keep the address elsewhere. */
export function imageElement({ properties, ...element }: Element, note: Note): ElementContent[] {
  const { src, dataSrc, dataLazySrc, dataOriginal, srcSet } = properties
  const firstOfSet = String(srcSet ?? '')
    .trim()
    .split(/[\s,]/)[0]
  const candidates = [src, dataSrc, dataLazySrc, dataOriginal, firstOfSet].map((one) => String(one ?? ''))
  const safe = candidates.map(safeImageSrc).find((one) => one !== undefined)
  if (safe === undefined) {
    const given = candidates.find((one) => one.trim() !== '')
    if (given !== undefined)
      note(
        'media_removed',
        `A picture was removed because of its address ("${schemeOf(given)}"). Upload it to a website and use its address there.`,
      )
    return []
  }
  const { id: _id, name: _name, ...others } = properties
  return [
    {
      ...element,
      properties: { ...others, src: safe, width: pixels(properties.width), height: pixels(properties.height) },
    },
  ]
}

/** A video or audio player with its first source that sites can play; undefined if there is none. */
export function playerElement({ tagName, properties, children }: Element, note: Note): ElementContent[] | undefined {
  const inner = children.filter((child) => child.type === 'element')
  const sources = [properties, ...inner.filter((child) => child.tagName === 'source').map((child) => child.properties)]
  const src = sources.map((source) => safeMediaSrc(String(source.src ?? ''))).find((one) => one !== undefined)
  if (src === undefined) return undefined
  for (const child of inner)
    if (child.tagName === 'track') note('media_removed', 'The subtitles of a video were removed.')
  if (tagName === 'audio') return [player('audio', { src })]
  const poster = safeImageSrc(String(properties.poster ?? ''))
  if (poster === undefined && properties.poster)
    note('media_removed', 'The still picture of a video was removed because of its address.')
  const { width, height } = properties
  return [player('video', { src, poster, width: pixels(width), height: pixels(height) })]
}

/** The only HTML form of a player. */
export function player(tagName: 'audio' | 'video', properties: Properties): Element {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined)
  const all = { ...Object.fromEntries(given), controls: true, preload: 'metadata' }
  return { type: 'element', tagName, properties: all, children: [] }
}
