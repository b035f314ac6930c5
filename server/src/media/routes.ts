import { ANYWHERE, accountAuth } from '../accounts/index.ts'
import type { Context } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { type Endpoint, endpoint, IdParams } from '../platform/http/endpoint.ts'
import { isId } from '../platform/ids.ts'
import { MOST_UPLOAD_BYTES } from '../platform/media-config.ts'
import { exampleMedium } from './examples.ts'
import { addMedium, changeMedium, getMedium, removeMedium, type UsesOf } from './operations.ts'
import { listMedia } from './queries.ts'
import { fetchPicture, receivePicture, receivePictureForm } from './receive.ts'
import type { MediumRow } from './tables.ts'
import {
  DeleteQuery,
  FromUrl,
  givenAlt,
  MediaPage,
  MediaQuery,
  MediumBody,
  presentMedium,
  UPLOAD_TYPES,
  UpdateMedium,
  UploadQuery,
} from './wire.ts'

const shared = { tag: 'Media' } as const
const path = '/api/media'
/** What a form has beside its file. */
const FORM_BYTES = 200_000

const shown = { description: 'The picture.', schema: MediumBody, examples: { 'A photograph': exampleMedium } }
const added = { ...shown, examples: { 'A photograph': { ...exampleMedium, used_in: [] } } }

/** The endpoints for pictures. `usesOf`: which posts have them. */
export function mediaRoutes(usesOf: UsesOf): Endpoint[] {
  const present = async ({ config, db }: Context, accountId: string, rows: readonly MediumRow[]) => {
    const uses = await usesOf(db.root, accountId, rows)
    return rows.map((row) => presentMedium(config.publicUrl, row, uses.get(row.sha256) ?? []))
  }
  const presentOne = async (ctx: Context, row: MediumRow) => {
    const [only] = await present(ctx, row.account_id, [row])
    return only as NonNullable<typeof only> // one for each row
  }
  return [
    endpoint({
      ...shared,
      method: 'post',
      path,
      auth: accountAuth('media:write', ANYWHERE),
      name: 'uploadMedium',
      summary: 'Upload a picture',
      description:
        'JPEG, PNG, GIF, WebP or AVIF, by its content and not by its name; at most 20 MiB unless the operator has set another limit, and 50 megapixels. Send it as the field `file` of a form, or as the body with its `Content-Type` and `?name=`. The same bytes again are the same picture: it is answered as it is. What a photograph says of its origin (place, device, author) is not kept.',
      query: UploadQuery,
      upload: { mostBytes: MOST_UPLOAD_BYTES + FORM_BYTES, types: UPLOAD_TYPES },
      replies: { 201: added },
      errors: ['invalid', 'unavailable'],
      async handler({ ctx, principal, query, upload, header }) {
        const medium = await addMedium(ctx, principal.accountId, async (target) => {
          if (upload === undefined) throw new TypeError('an endpoint with an upload was called without one')
          const { bytes, type } = upload
          const received =
            type === 'multipart/form-data'
              ? await receivePictureForm(ctx, bytes, header('content-type') ?? '', target)
              : { ...(await receivePicture(ctx, bytes, target)), name: undefined, alt: undefined }
          return { ...received, name: query.name ?? received.name, alt: givenAlt(query.alt ?? received.alt) }
        })
        return { status: 201, body: await presentOne(ctx, medium) }
      },
    }),
    endpoint({
      ...shared,
      method: 'post',
      path: `${path}/from-url`,
      auth: accountAuth('media:write', ANYWHERE),
      name: 'addMediumFromUrl',
      summary: 'Take a picture over from an address',
      description:
        'Fetches the picture, as `POST /api/media` takes it, from a public server, so that it is still there when that one is not.',
      body: FromUrl,
      bodyExamples: {
        'A photograph': { url: 'https://images.example.com/loaf.jpg', alt: exampleMedium.alt },
      },
      replies: { 201: added },
      errors: ['unavailable'],
      async handler({ ctx, principal, body: { url, name, alt } }) {
        const medium = await addMedium(ctx, principal.accountId, async (target) => {
          const received = await fetchPicture(ctx, url, target)
          return { ...received, name: name ?? received.name, alt }
        })
        return { status: 201, body: await presentOne(ctx, medium) }
      },
    }),
    endpoint({
      ...shared,
      method: 'get',
      path,
      auth: accountAuth('posts:read'),
      name: 'listMedia',
      summary: 'List pictures',
      description:
        'All pictures of the account, or those with these words in their name or alternative text, newest first.',
      query: MediaQuery,
      replies: {
        200: {
          description: 'A page of pictures.',
          schema: MediaPage,
          examples: { 'One picture': { media: [exampleMedium], cursor: null } },
        },
      },
      errors: [],
      async handler({ ctx, principal, query: { cursor, search, limit } }) {
        if (cursor !== undefined && !isId(cursor))
          throw invalid('cursor', 'cursor must be the cursor of an earlier answer.')
        const rows = await listMedia(ctx.db.root, principal.accountId, { before: cursor, search, limit: limit + 1 })
        const page = rows.slice(0, limit)
        const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null
        return { status: 200, body: { media: await present(ctx, principal.accountId, page), cursor: next } }
      },
    }),
    endpoint({
      ...shared,
      method: 'get',
      path: `${path}/{id}`,
      auth: accountAuth('posts:read'),
      name: 'getMedium',
      summary: 'Get a picture',
      description: 'What is known of it, and which posts have it.',
      params: IdParams,
      replies: { 200: shown },
      errors: [],
      async handler({ ctx, principal, params }) {
        return { status: 200, body: await presentOne(ctx, await getMedium(ctx, principal.accountId, params.id)) }
      },
    }),
    endpoint({
      ...shared,
      method: 'patch',
      path: `${path}/{id}`,
      auth: accountAuth('media:write'),
      name: 'updateMedium',
      summary: 'Change a picture',
      description:
        'Changes its name and its alternative text. Posts keep theirs: they have it in their own text. Addresses with the old name still lead to it.',
      params: IdParams,
      body: UpdateMedium,
      bodyExamples: { 'What it shows': { alt: exampleMedium.alt } },
      replies: { 200: shown },
      errors: [],
      async handler({ ctx, principal, params, body }) {
        return {
          status: 200,
          body: await presentOne(ctx, await changeMedium(ctx, principal.accountId, params.id, body)),
        }
      },
    }),
    endpoint({
      ...shared,
      method: 'delete',
      path: `${path}/{id}`,
      auth: accountAuth('media:write'),
      name: 'deleteMedium',
      summary: 'Delete a picture',
      description:
        'Its address leads nowhere any more. While posts have it, that is refused with 409 unless `force` is true; sites that have copied it keep their copies.',
      params: IdParams,
      query: DeleteQuery,
      replies: { 204: { description: 'It is gone.', schema: null } },
      errors: ['conflict', 'unavailable'],
      async handler({ ctx, principal, params, query: { force } }) {
        await removeMedium(ctx, principal.accountId, params.id, { force: force === 'true', usesOf })
        return { status: 204 }
      },
    }),
  ]
}
