export { pullRoutes } from './routes.ts'
