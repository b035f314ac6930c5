export { siteExists } from './queries.ts'
export { siteRoutes } from './routes.ts'
