import { z } from 'zod'
import './zod-openapi.ts'

/** No list has more pages than this; it keeps offsets within the database's range. */
const LAST_PAGE = 1_000_000_000

/** A number from 1 to `max` in a query. `rule` says so in words, after "must be". */
export const countingNumber = (label: string, max: number, rule: string) =>
  z
    .string()
    .regex(/^\d{1,12}$/, `${label} must be ${rule}.`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, `${label} must be ${rule}.`)
    .openapi({ type: 'integer', minimum: 1, maximum: max })

/** The `limit` of a list: at most 100 items per page. */
export const pageLimit = (fallback: number, description: string) =>
  countingNumber('limit', 100, 'a whole number from 1 to 100')
    .default(fallback)
    .openapi({ default: fallback, description })

/** `page` and `limit` of a list. */
export const PageQuery = z.object({
  page: countingNumber('page', LAST_PAGE, 'a whole number of at least 1')
    .default(1)
    .openapi({ default: 1, description: 'The page number. A page past the last one is empty.' }),
  limit: pageLimit(20, 'The number of items per page.'),
})

/** The pagination object (specification, section 2). */
export const Pagination = z
  .object({
    page: z.int().min(1),
    limit: z.int().min(1),
    total: z.int().min(0).openapi({ description: 'The number of items on all pages.' }),
    pages: z.int().min(0),
  })
  .openapi('Pagination')

/** The pagination of a page of `limit` out of `total` items. */
export function pagination(page: number, limit: number, total: number): z.output<typeof Pagination> {
  return { page, limit, total, pages: Math.ceil(total / limit) }
}
