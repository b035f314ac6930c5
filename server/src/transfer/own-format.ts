/** The format of our own exports, which imports read again. */
import { z } from 'zod'

/** The name of the format, in its manifest. */
export const OWN_FORMAT = 'postrider'
/** The manifest's file. */
export const OWN_MANIFEST = 'postrider.json'

const time = z.iso.datetime({ offset: true })

/** A post in our own format. Its fields are those of the API; times are ISO 8601, in UTC. */
export const OwnPost = z.object({
  id: z.string(),
  version: z.int().min(1),
  title: z.string(),
  slug: z.string(),
  former_slugs: z.array(z.object({ slug: z.string(), retired_at: time })),
  excerpt: z.string(),
  tags: z.array(z.string()),
  meta: z.object({
    title: z.string().optional(),
    description: z.string().optional(),
    og_image: z.string().optional(),
    canonical_url: z.string().optional(),
  }),
  status: z.enum(['draft', 'scheduled', 'published']),
  site_ids: z.array(z.string()).nullable(),
  primary_site_id: z.string().nullable(),
  scheduled_at: time.nullable(),
  schedule_zone: z.string().nullable(),
  unpublish_at: time.nullable(),
  published_at: time.nullable(),
  created_at: time,
  updated_at: time,
  body: z.object({ html: z.string(), markdown: z.string(), json: z.record(z.string(), z.unknown()) }),
})
export type OwnPost = z.input<typeof OwnPost>
