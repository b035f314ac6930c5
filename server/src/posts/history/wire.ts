/** Revisions on the wire: their list, one of them, and what differs between two. */
import { z } from 'zod'
import { Timestamp } from '../../platform/http/endpoint.ts'
import { countingNumber, pageLimit } from '../../platform/http/pagination.ts'
import { CONTENT_FIELDS, pickFields, shownFields } from '../fields.ts'
import { BodyForms, presentBody } from '../public.ts'
import type { Revision, RevisionSummary } from './store.ts'

/** The greatest of the database's integers. */
export const MOST_VERSION = 2_147_483_647
const version = (name: string) => countingNumber(name, MOST_VERSION, 'a whole number from 1 to 2,147,483,647')

export const RevisionParams = z.object({
  id: z.string().openapi({ description: 'The post.', example: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071' }),
  version: z
    .string()
    .openapi({ type: 'integer', minimum: 1, maximum: MOST_VERSION, description: 'The version.', example: 2 }),
})

/** A version in a path; 0, which no post has, for anything but such a number. */
export function versionIn(path: { version: string }): number {
  const given = Number(/^\d{1,10}$/.exec(path.version)?.[0] ?? 0)
  return given <= MOST_VERSION ? given : 0
}

export const RevisionsQuery = z.object({
  cursor: version('cursor').optional().openapi({ description: 'The `cursor` of an earlier answer.', type: 'string' }),
  limit: pageLimit(50, 'The number of versions per page.'),
})

export const DiffQuery = z.object({
  from: version('from')
    .optional()
    .openapi({ description: 'The older version. Default: the one before the newer.', example: 1 }),
  to: version('to').optional().openapi({ description: 'The newer version. Default: the present one.', example: 2 }),
})

const summary = {
  version: z.int().min(1),
  at: Timestamp.openapi({ description: 'When the version was made.' }),
  by: z.enum(['person', 'token', 'draft', 'schedule', 'import']).openapi({
    description:
      'Who made it: a person, a program with a token, a job that generates a draft, the schedule that unpublished the post, or an import.',
  }),
  by_name: z.string().nullable().openapi({ description: 'The name of the token; null for everybody else.' }),
  sent: z.boolean().openapi({ description: 'Whether sites were sent this version.' }),
  words: z.int().min(0).openapi({ description: 'The number of words of its text.' }),
}

const RevisionSummaryBody = z.object({ ...summary, title: z.string() }).openapi('RevisionSummary')

/** A page of a post's versions. */
export const RevisionPage = z
  .object({
    revisions: z.array(RevisionSummaryBody),
    cursor: z.string().nullable().openapi({ description: 'For the next page; null on the last.' }),
  })
  .openapi('RevisionPage')

/** One version of a post. */
export const RevisionBody = z
  .object({ ...summary, ...shownFields(CONTENT_FIELDS), body: BodyForms })
  .openapi('Revision')

const change = z.enum(['same', 'added', 'removed'])
const FieldChangeBody = z
  .object({ field: z.enum(CONTENT_FIELDS as [string, ...string[]]), from: z.unknown(), to: z.unknown() })
  .openapi('FieldChange')
const BlockChangeBody = z
  .object({
    change: z.enum(['same', 'added', 'removed', 'changed']),
    type: z.string().openapi({ description: 'The block: `paragraph`, `heading`, `bulletList`, `codeBlock`, …' }),
    text: z.string().optional().openapi({ description: 'Its text; absent if the block has changed.' }),
    words: z
      .array(z.object({ change, text: z.string() }))
      .optional()
      .openapi({
        description:
          'The text of a changed block, in runs of words. If all of them are the same, its formatting or links have changed.',
      }),
  })
  .openapi('BlockChange')

/** What differs between two versions. */
export const DiffBody = z
  .object({
    from: z.int(),
    to: z.int(),
    fields: z.array(FieldChangeBody),
    blocks: z.array(BlockChangeBody).openapi({ description: 'All blocks of both texts, in order.' }),
  })
  .openapi('RevisionDiff')

/** Presents a revision without its content as on the wire. */
export function presentRevisionSummary({
  version,
  title,
  revised_at,
  revised_by,
  revised_by_name,
  sent,
  words,
}: RevisionSummary) {
  return { version, at: revised_at, by: revised_by, by_name: revised_by_name, sent, words, title }
}

/** Presents a revision as on the wire. */
export function presentRevisionBody(revision: Revision) {
  return {
    ...presentRevisionSummary(revision),
    ...pickFields(revision.fields, CONTENT_FIELDS),
    body: presentBody(revision),
  }
}
