export { publishDue } from './publish-due.ts'
export { countPublished, postTitles } from './queries.ts'
export { postRoutes } from './routes.ts'
