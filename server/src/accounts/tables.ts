import type { Generated, Selectable } from 'kysely'
import type { Plan } from '../platform/config.ts'
import type { Scope } from './api-tokens/scopes.ts'

type AccountsTable = {
  id: string
  name: string
  email: string
  /** The e-mail address in the form used for comparison (`emailKey`). */
  email_key: string
  password_hash: string
  plan: Plan
  /** Tokens of an older generation are refused. */
  token_generation: Generated<number>
  /** The original of posts that are created without one. */
  primary_site_id: Generated<string | null>
  created_at: Date
}

/** Sessions whose tokens are refused, until the last of them has expired. */
type EndedSessionsTable = { id: string; expires_at: Date }

/** Networks (an HMAC of each) from which somebody has logged in to the account. */
type LoginNetworksTable = { account_id: string; network: Buffer; last_login_at: Date }

/** Links by which a forgotten password can be replaced, each once; the SHA-256 of their tokens. */
type PasswordResetsTable = { token_hash: Buffer; account_id: string; expires_at: Date }

/** Tokens of programs; `token_index`: the HMAC by which one is found. Without `site_ids` a token is for all sites. */
type ApiTokensTable = {
  id: string
  account_id: string
  name: string
  token_index: Buffer
  last_four: string
  scopes: Scope[]
  site_ids: string[] | null
  created_at: Date
  expires_at: Date | null
  last_used_at: Date | null
}

/** A row of `accounts`. */
export type AccountRow = Selectable<AccountsTable>

/** A row of `api_tokens`. */
export type ApiTokenRow = Selectable<ApiTokensTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    accounts: AccountsTable
    api_tokens: ApiTokensTable
    ended_sessions: EndedSessionsTable
    login_networks: LoginNetworksTable
    password_resets: PasswordResetsTable
  }
}
