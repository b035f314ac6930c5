import type { PublishedPost } from '../posts/index.ts'

/** The post that a test delivery carries, in the form of a webhook's `post`. */
export function samplePost(id: string, siteUrl: string, now: Date): PublishedPost {
  return {
    id,
    version: 1,
    slug: 'a-test-from-postrider',
    title: 'A test from Postrider',
    excerpt: 'If you can read this, your site receives posts.',
    body: {
      html: '<p>If you can read this, your site receives posts.</p>',
      markdown: 'If you can read this, your site receives posts.\n',
      json: {
        type: 'doc',
        content: [
          { type: 'paragraph', content: [{ type: 'text', text: 'If you can read this, your site receives posts.' }] },
        ],
      },
    },
    meta: {
      title: 'A test from Postrider',
      description: 'A sample post that shows whether deliveries arrive.',
      canonical_url: URL.canParse('/a-test-from-postrider', siteUrl)
        ? new URL('/a-test-from-postrider', siteUrl).href
        : siteUrl,
    },
    tags: ['test'],
    status: 'published',
    published_at: now,
  }
}
