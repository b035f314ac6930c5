import type { PublishedPost } from './public.ts'

/** The post of the examples, published at eight in the morning. */
export const examplePost: PublishedPost = {
  id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071',
  version: 1,
  slug: 'bread-without-kneading',
  title: 'Bread without kneading',
  excerpt: 'Four ingredients, ten minutes of work, and a night of patience.',
  body: {
    html: '<p>Time does what your <strong>hands</strong> would.</p>',
    markdown: 'Time does what your **hands** would.\n',
    json: {
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [
            { type: 'text', text: 'Time does what your ' },
            { type: 'text', text: 'hands', marks: [{ type: 'bold' }] },
            { type: 'text', text: ' would.' },
          ],
        },
      ],
    },
  },
  meta: {
    title: 'Bread without kneading: the overnight method',
    description: 'How to bake a crusty loaf from four ingredients with ten minutes of work.',
    og_image: 'https://kitchen.example.com/images/loaf.jpg',
    canonical_url: 'https://kitchen.example.com/bread-without-kneading',
  },
  tags: ['baking', 'basics'],
  status: 'published',
  published_at: new Date('2026-11-02T08:00:00.000Z'),
}
