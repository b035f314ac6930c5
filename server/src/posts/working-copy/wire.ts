/** Working copies on the wire. */
import { z } from 'zod'
import { Id, Timestamp } from '../../platform/http/endpoint.ts'
import { CONTENT_FIELDS, pickFields, shownFields } from '../fields.ts'
import { MOST_VERSION } from '../history/wire.ts'
import { BodyForms, presentBody } from '../public.ts'
import { presentLosses, UpdatePost, Warnings } from '../wire.ts'
import type { saveWorkingCopy } from './operations.ts'
import type { WorkingCopy } from './store.ts'

const { title, slug, excerpt, tags, meta, body } = UpdatePost.shape

/** What a working copy changes. */
export const SaveWorkingCopy = z
  .strictObject({
    title,
    slug,
    excerpt,
    tags,
    meta,
    body,
    based_on: z
      .int('based_on must be a version of the post: a whole number.')
      .min(1, 'based_on must be a version of the post: at least 1.')
      .max(MOST_VERSION, 'based_on must be a version of the post.')
      .optional()
      .openapi({
        description:
          'The version of the post that the changes began from. Default: that of the working copy, or the present one. Give the present one after comparing them, if the post has changed since.',
        example: 1,
      }),
  })
  .openapi('SaveWorkingCopy')

/** A post with changes that are not published. */
export const WorkingCopyBody = z
  .object({
    post_id: Id,
    save_id: Id.openapi({ description: 'Another one with each save: in quotes, it is the ETag.' }),
    based_on: z.int().min(1).openapi({ description: 'The version of the post that the changes began from.' }),
    saved_at: Timestamp,
    ...shownFields(CONTENT_FIELDS),
    body: BodyForms,
    warnings: Warnings,
  })
  .openapi('WorkingCopy', { description: 'The whole content of a post with changes that are not published.' })

/** Presents a working copy as on the wire. */
export function presentCopy(copy: WorkingCopy) {
  return {
    post_id: copy.post_id,
    save_id: copy.save_id,
    based_on: copy.based_on,
    saved_at: copy.saved_at,
    ...pickFields(copy.fields, CONTENT_FIELDS),
    body: presentBody(copy),
  }
}

/** The same after it was saved, with what was lost of the body that came. */
export function presentSaved({ copy, losses }: Awaited<ReturnType<typeof saveWorkingCopy>>) {
  return { ...presentCopy(copy), ...presentLosses(losses) }
}
