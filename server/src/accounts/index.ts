export { AccountBody, presentAccount } from './account.ts'
export { apiTokenRoutes } from './api-tokens/routes.ts'
export { SCOPE_NAMES, type Scope } from './api-tokens/scopes.ts'
export { endAllApiTokens } from './api-tokens/store.ts'
export {
  type AccountPrincipal,
  ANYWHERE,
  accountAuth,
  assertMay,
  loginAuth,
  type ProgramPrincipal,
  programAuth,
  type Reach,
  sitesOf,
  tokenAccessOf,
  whoAsks,
} from './auth.ts'
export { exampleAccount } from './examples.ts'
export { removeExpiredResets, resetJobs } from './forgotten.ts'
export { authBuckets } from './limits.ts'
export { forgetOldNetworks } from './login.ts'
export { accountOf, createAccount, randomPassword, removeAccount, resetPassword, setPlan } from './operations.ts'
export {
  allAccounts,
  defaultOriginal,
  endAllLogins,
  forgetDefaultOriginal,
  removeExpiredSessions,
  setDefaultOriginal,
} from './queries.ts'
export { accountRoutes, RegisterBody } from './routes.ts'
export type { AccountRow } from './tables.ts'
