/** Pictures on the wire. */
import { z } from 'zod'
import { Id, Timestamp } from '../platform/http/endpoint.ts'
import { pageLimit } from '../platform/http/pagination.ts'
import { queryText, text } from '../platform/http/text.ts'
import { httpUrl } from '../platform/http/url.ts'
import { MOST_NAME } from './names.ts'
import type { Use } from './operations.ts'
import { PICTURE_TYPES, type PictureType } from './pictures/types.ts'
import type { MediumRow } from './tables.ts'
import { publicAddress, variantsOf } from './variants.ts'

const types = Object.keys(PICTURE_TYPES) as [PictureType, ...PictureType[]]
const Pixels = z.int().min(1)

/** The most characters of an alternative text. */
const MOST_ALT = 1000

const VariantBody = z.object({ width: Pixels, type: z.enum(types), url: z.string().openapi({ format: 'uri' }) })
const UseBody = z.object({ id: Id, title: z.string(), status: z.string() })

/** A picture. */
export const MediumBody = z
  .object({
    id: Id,
    sha256: z.string().openapi({
      pattern: '^[0-9a-f]{64}$',
      description:
        'Of the bytes at `url`. They are those that were uploaded, without what these said of their origin: where a photograph was taken, with which device, by whom.',
    }),
    name: z.string(),
    alt: z
      .string()
      .openapi({ description: 'What the picture shows, for those who do not see it. Empty if nobody said.' }),
    type: z.enum(types),
    width: Pixels.openapi({ description: 'As it is shown.' }),
    height: Pixels,
    bytes: z.int().min(1),
    url: z.string().openapi({
      format: 'uri',
      description:
        'Its public address, without a login. What is there never changes, and may be kept for ever. `?w=` and `?f=` ask for a width (320, 640, 960, 1280 or 1920) and a format (`webp` or `avif`); a picture is never made larger, and one that moves is served as it is.',
    }),
    variants: z.array(VariantBody).openapi({ description: 'What is narrower than the picture, for `srcset`.' }),
    used_in: z.array(UseBody).openapi({ description: 'The posts that have it, the newest first; at most 20.' }),
    created_at: Timestamp,
  })
  .openapi('Medium')

/** A page of pictures. */
export const MediaPage = z
  .object({
    media: z.array(MediumBody),
    cursor: z.string().nullable().openapi({ description: 'For the next page; null on the last.' }),
  })
  .openapi('MediaPage')

export const MediaQuery = z.object({
  search: queryText('search').optional().openapi({ description: 'Words of the name or the alternative text.' }),
  cursor: z.string().optional().openapi({ description: 'The `cursor` of an earlier answer.' }),
  limit: pageLimit(50, 'The number of pictures per page.'),
})

export const UploadQuery = z.object({
  name: queryText('name').optional().openapi({ description: 'The name of the file; in a form it has one.' }),
  alt: queryText('alt').optional().openapi({ description: 'What the picture shows.' }),
})

const alt = text('The alternative text', { max: MOST_ALT })
const name = text('The name', { min: 1, max: MOST_NAME })

export const FromUrl = z
  .strictObject({ url: httpUrl('url'), name: name.optional(), alt: alt.optional() })
  .openapi('AddMediumFromUrl')

export const UpdateMedium = z.strictObject({ name: name.optional(), alt: alt.optional() }).openapi('UpdateMedium')

export const DeleteQuery = z.object({
  force: z
    .enum(['true', 'false'], 'force must be true or false.')
    .default('false')
    .openapi({ description: 'Whether posts may lose the picture.' }),
})

/** An alternative text as forms and queries give it, cut to what is kept. */
export function givenAlt(given: string | undefined): string {
  return [...(given ?? '').toWellFormed().replaceAll('\0', '').trim()].slice(0, MOST_ALT).join('')
}

/** Presents a picture and the posts that have it. */
export function presentMedium(publicUrl: string, row: MediumRow, uses: readonly Use[]): z.output<typeof MediumBody> {
  const { id, sha256, name, alt, type, width, height, bytes, created_at } = row
  const url = publicAddress(publicUrl, row)
  const variants = variantsOf(row).map(({ format, ...one }) => ({ ...one, url: `${url}?w=${one.width}&f=${format}` }))
  return { id, sha256, name, alt, type, width, height, bytes, url, variants, used_in: [...uses], created_at }
}

/** The types in which a picture may be sent, a form among them. What it is follows from its bytes. */
export const UPLOAD_TYPES = ['multipart/form-data', ...types, 'image/svg+xml', 'application/octet-stream'] as const
