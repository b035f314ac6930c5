/** The sizes and formats that a picture is served in, beside itself. Each is made when it is first asked for, and kept. */
import { invalid } from '../platform/errors.ts'
import { addressName } from './names.ts'
import { PICTURE_TYPES, type PictureType } from './pictures/types.ts'
import type { MediumRow } from './tables.ts'

const WIDTHS = [320, 640, 960, 1280, 1920] as const
const FORMATS: Record<string, PictureType> = { webp: 'image/webp', avif: 'image/avif' }
/** The most pixels of one that is made: making it takes many times as many bytes, an AVIF forty. */
const MOST_PIXELS = { 'image/avif': 2_900_000, others: 6_000_000 }

/** A width in pixels and a type. */
export type Variant = { width: number; type: PictureType }

type Shape = Pick<MediumRow, 'width' | 'height' | 'type' | 'animated'>

/**
 * What a query asks for; undefined: the picture itself, which is also served where nothing smaller can be made of it. Throws `invalid` for
 * another width or format.
 */
export function askedVariant(query: URLSearchParams, { width, height, type, animated }: Shape): Variant | undefined {
  const [w, f] = [query.get('w'), query.get('f')]
  const asked = w === null ? WIDTHS.at(-1) : WIDTHS.find((one) => String(one) === w)
  if (asked === undefined) throw invalid('w', `There are these widths: ${WIDTHS.join(', ')}.`)
  const format = f === null ? type : FORMATS[f]
  if (format === undefined) throw invalid('f', `There are these formats: ${Object.keys(FORMATS).join(', ')}.`)
  if (animated || (w === null && f === null)) return undefined
  const variant = { width: Math.min(asked, width), type: format }
  if (format === type && variant.width === width) return undefined
  return isMade(variant, { width, height }) ? variant : undefined
}

function isMade(variant: Variant, { width, height }: Pick<Shape, 'width' | 'height'>): boolean {
  const most = variant.type === 'image/avif' ? MOST_PIXELS[variant.type] : MOST_PIXELS.others
  return variant.width * variant.width * (height / width) <= most
}

/** What is served of a picture beside itself, smallest first; a picture that moves is served only as it is. */
export function variantsOf(row: Shape): Array<Variant & { format: string }> {
  if (row.animated) return []
  const narrower = WIDTHS.filter((width) => width < row.width)
  return narrower.flatMap((width) =>
    Object.entries(FORMATS)
      .filter(([, type]) => isMade({ width, type }, row))
      .map(([format, type]) => ({ width, type, format })),
  )
}

/** The folder of a picture's files. */
export function folderOf({ account_id, id }: Pick<MediumRow, 'account_id' | 'id'>): string {
  return `${account_id}/${id}`
}

/** The key of a picture's file, or of a variant's. */
export function keyOf(medium: Pick<MediumRow, 'account_id' | 'id'>, variant?: Variant): string {
  if (variant === undefined) return `${folderOf(medium)}/original`
  return `${folderOf(medium)}/w${variant.width}.${PICTURE_TYPES[variant.type].ending}`
}

/** A picture's public address. */
export function publicAddress(
  publicUrl: string,
  { hash, name, type }: Pick<MediumRow, 'hash' | 'name' | 'type'>,
): string {
  return `${publicUrl}/media/${hash}/${addressName(name, type)}`
}
