export { accountAuth } from './auth.ts'
export { accountRoutes } from './routes.ts'
