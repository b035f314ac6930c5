export {
  type Blog,
  type BlogMetadata,
  type BlogOptions,
  createBlog,
  type PageProps,
  type SitemapEntry,
} from './blog.ts'
export { type ListProps, PostArticle, PostList, type PostProps } from './pages.ts'
export { getPost, getPosts, type PostPage, type PostSummary } from './read.ts'
