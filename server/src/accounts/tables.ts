import type { Generated, Selectable } from 'kysely'
import type { Plan } from '../platform/config.ts'

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

/** A row of `accounts`. */
export type AccountRow = Selectable<AccountsTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    accounts: AccountsTable
    ended_sessions: EndedSessionsTable
    login_networks: LoginNetworksTable
    password_resets: PasswordResetsTable
  }
}
