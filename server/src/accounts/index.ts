export { accountAuth, whoAsks } from './auth.ts'
export { createAccount, randomPassword, resetPassword, setPlan } from './operations.ts'
export { accountRoutes, RegisterBody } from './routes.ts'
