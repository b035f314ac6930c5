export { publishDue } from './publish-due.ts'
export { postRoutes } from './routes.ts'
