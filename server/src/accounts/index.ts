export { accountAuth, whoAsks } from './auth.ts'
export { resetPassword, setPlan } from './operations.ts'
export { accountRoutes } from './routes.ts'
