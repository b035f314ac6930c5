export { readThings } from './read.ts'
export { liveRoutes } from './routes.ts'
