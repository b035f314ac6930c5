export { type WithAudience, withAudience } from './audience.ts'
export { BodyError, type ConvertedBody, convertBody, type DocNode } from './body/convert.ts'
export { convertForms } from './body/converter.ts'
export { embedOf } from './body/embeds.ts'
export { countWords, docToText } from './body/text.ts'
export { duplicateRoute } from './duplicate.ts'
export { exampleDraft } from './examples.ts'
export { FIELDS, MOST_TAGS, MOST_TITLE } from './fields.ts'
export { revisionRoutes } from './history/routes.ts'
export {
  addImported,
  changeImported,
  hasContent,
  type ImportedContent,
  type ImportedPost,
  undoImported,
} from './imported.ts'
export { addDraft } from './new-post.ts'
export { noteLiveUrls, originalJobs } from './originals.ts'
export { postsWithPictures } from './pictures.ts'
export { firstPortion, inPortions } from './portions.ts'
export {
  type ChangePosition,
  changesAfter,
  forgetTombstones,
  type PostChange,
  recordUnlistedPosts,
} from './post-changes.ts'
export { forgetPreviews, previewed, tokenInSlug } from './previews/operations.ts'
export { previewPageRoute } from './previews/page.ts'
export { previewRoutes } from './previews/routes.ts'
export { proposalRoutes } from './proposals/routes.ts'
export { PublishedPost, PulledPost, PulledSummary, previewedPost, pulledEntry, pulledJson } from './public.ts'
export { examplePost } from './public-example.ts'
export { recordPull } from './publish.ts'
export {
  countDue,
  countPosts,
  countPublished,
  findPost,
  lockPost,
  lockPostsOfAccount,
  postTitles,
} from './queries.ts'
export { relatedPosts } from './related.ts'
export { postsTx, withRevision, writePosts } from './revision.ts'
export { postRoutes } from './routes.ts'
export { runSchedule } from './schedule.ts'
export { enqueueSending, sendingJobs } from './send-posts.ts'
export { slugify } from './slug.ts'
export type { PostRow } from './tables.ts'
export { trashRoutes } from './trash/routes.ts'
export {
  type Chosen,
  lockVisiblePost,
  presentSlug,
  type Reader,
  sizesOf,
  type VisiblePage,
  visibleAndSent,
  visiblePages,
  visiblePosts,
  visiblePostsById,
  visibleVersions,
  visibleWithTag,
} from './visible.ts'
export { type WholePost, wholePosts } from './whole.ts'
export { PostBody, presentPost } from './wire.ts'
export { workingCopyRoutes } from './working-copy/routes.ts'
export { deletePosts, emptyTrash, forgetNamesOfGoneSites, raiseVersions } from './writes.ts'
