export { accountAuth, whoAsks } from './auth.ts'
export { setPlan } from './operations.ts'
export { accountRoutes } from './routes.ts'
