import { EXAMPLES, pickFields, SITE_FIELDS } from './fields.ts'
import type { PublishedPost } from './public.ts'

/** The post of the examples, published at eight in the morning. */
export const examplePost: PublishedPost = {
  id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071',
  version: 1,
  ...pickFields(EXAMPLES, SITE_FIELDS),
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
  status: 'published',
  published_at: new Date('2026-11-02T08:00:00.000Z'),
}
