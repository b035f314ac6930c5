/** The imports of the documentation. */
import { examplePost } from '../../posts/index.ts'

const created_at = new Date('2026-11-02T08:00:00.000Z')
const counts = { new: 41, same: 0, changed: 0, refused: 2 }
const message =
  'The shortcode [contact-form-7] stays in the text as it is written: only its plugin knows what it shows.'
const loss = { code: 'shortcode', message, count: 1 }

const base = {
  import_id: '01a19b45-c1d2-7a04-b1c9-4e5d8b6f2099',
  name: 'kitchennotes.wordpress.xml',
  format: 'wordpress' as const,
  problem: null,
  created_at,
  updated_at: created_at,
}
const report = {
  ...counts,
  lossy: 1,
  losses: [{ ...loss, posts: 1 }],
  media: 58,
  pictures: 0,
  redirects: 3,
  authors: [{ name: 'Ada Lovelace', posts: 41 }],
  undone: 0,
  kept: 0,
}
const none = { new: 0, same: 0, changed: 0, refused: 0 }

/** An import as an upload begins it. */
export const exampleBegun = {
  ...base,
  status: 'reading' as const,
  progress: { done: 0, total: 43 },
  counts: none,
  report: { ...report, ...none, lossy: 0, losses: [], media: 0, redirects: 0 },
}

/** The same when it can be run. */
export const exampleReady = {
  ...base,
  status: 'ready' as const,
  progress: { done: 0, total: 41 },
  counts,
  report,
}

/** The same while it runs. */
export const exampleRunning = { ...exampleReady, status: 'importing' as const, progress: { done: 17, total: 41 } }

/** The same while it is undone. */
export const exampleUndoing = { ...exampleReady, status: 'undoing' as const, progress: { done: 0, total: 41 } }

const { report: _, ...listed } = exampleReady

/** What lists show of it. */
export const exampleListed = listed

/** A post of it. */
export const exampleImportedPost = {
  place: 4,
  source_id: 'wordpress:https://kitchen.example.com/?p=12',
  title: examplePost.title,
  outcome: 'new' as const,
  reason: null,
  slug: examplePost.slug,
  author: 'Ada Lovelace',
  losses: [loss],
  media: ['https://kitchen.example.com/wp-content/uploads/loaf.jpg'],
  redirects: [{ from: 'bread', to: examplePost.slug }],
  post_id: null,
  undone: null,
}
