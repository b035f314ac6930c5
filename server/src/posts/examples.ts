/** The post of the documentation's examples, as the Management API shows it at several stages. */

import { exampleSite } from '../sites/index.ts'
import { examplePost } from './public-example.ts'

/** Published, as lists show it. */
export const exampleListed = {
  ...examplePost,
  primary_site_id: null,
  has_changes: false,
  site_ids: null,
  scheduled_at: null,
  unpublish_at: null,
  late_by_seconds: null,
  created_at: '2026-11-02T07:59:00.000Z',
  updated_at: '2026-11-02T07:59:00.000Z',
}

/** Published, and delivered to the one site. */
export const examplePublished = {
  ...exampleListed,
  deliveries: [{ site_id: exampleSite.id, status: 'delivered', delivered_at: '2026-11-02T08:00:00.412Z' }],
}

/** The same without its text, on its way to the one site after a failed attempt. */
export const exampleSummary = {
  ...withoutBody(exampleListed),
  deliveries: [
    {
      site_id: exampleSite.id,
      event: 'post.published',
      status: 'pending',
      attempts: 1,
      last_error: 'timeout',
      delivered_at: null,
      live: { state: 'unknown', url: null, checked_at: null, problem: null },
      next_attempt_at: '2026-11-02T08:00:45.412Z',
    },
  ],
}

function withoutBody<Post extends { body: object }>({ body: _, ...rest }: Post): Omit<Post, 'body'> {
  return rest
}

/** Before publication. */
export const exampleDraft = { ...exampleListed, status: 'draft', published_at: null, deliveries: [] }

/** Another post, scheduled. */
export const exampleScheduled = {
  ...exampleListed,
  id: '01a19b4c-2f60-7d15-b0e4-6a9c3f81d257',
  slug: 'soup-from-what-is-left',
  title: 'Soup from what is left',
  tags: ['soups'],
  status: 'scheduled',
  scheduled_at: '2026-11-09T08:00:00.000Z',
  published_at: null,
  created_at: '2026-11-02T08:07:00.000Z',
  updated_at: '2026-11-02T08:07:00.000Z',
}

const { title, excerpt, body, meta, tags } = examplePost

/** The body's forms, as the conversion endpoint returns them. */
export const exampleConverted = { ...body, word_count: 6 }

/** Ways to create a post. */
export const exampleNewPosts = {
  'A draft in Markdown': { title, body: { markdown: body.markdown } },
  'Published at once': { title, excerpt, body: { html: body.html }, meta, tags, status: 'published' },
  'Scheduled, as rich text': {
    title: exampleScheduled.title,
    body: { json: body.json },
    status: 'scheduled',
    scheduled_at: '2126-11-09T09:00:00+01:00',
  },
}

/** What the conversion of a body could not keep. */
export const exampleWarnings = [
  {
    code: 'media_removed',
    field: 'body.html',
    message:
      'A picture was removed because of its address ("data:"). Upload it to a website and use its address there.',
    count: 1,
  },
]
