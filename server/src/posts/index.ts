export { BodyError, type ConvertedBody, convertBody, type DocNode } from './body/convert.ts'
export { countWords, docToText } from './body/text.ts'
export { exampleDraft } from './examples.ts'
export { addDraft } from './new-post.ts'
export { PublishedPost, PulledPost, PulledSummary, pulledJson } from './public.ts'
export { examplePost } from './public-example.ts'
export { recordPull } from './publish.ts'
export { publishDue } from './publish-due.ts'
export {
  countDue,
  countPosts,
  countPublished,
  deletePosts,
  findPost,
  lockPostsOfAccount,
  postTitles,
  unnameForgottenSites,
} from './queries.ts'
export { raiseVersions } from './raise-versions.ts'
export { relatedPosts } from './related.ts'
export { postRoutes } from './routes.ts'
export { slugify } from './slug.ts'
export type { PostRow } from './tables.ts'
export {
  type ListedPage,
  lockVisiblePost,
  type Reader,
  visiblePages,
  visiblePosts,
  visibleWithTag,
  withRevision,
} from './visible.ts'
export { PostBody, presentPost } from './wire.ts'
