import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { prepared } from '../../platform/db/statements.ts'
import type { AccountRow, ApiTokenRow } from '../tables.ts'

/** A token as it is stored for the first time. */
export type NewApiToken = Omit<ApiTokenRow, 'last_used_at'>

/** Stores a token. */
export async function insertApiToken(db: Db, token: NewApiToken): Promise<void> {
  await db.insertInto('api_tokens').values(token).execute()
}

/** All tokens of an account, newest first. */
export async function apiTokensOf(db: Db, accountId: string): Promise<ApiTokenRow[]> {
  return db
    .selectFrom('api_tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** A token in use, with its account. */
export type FoundToken = AccountRow &
  Pick<ApiTokenRow, 'scopes' | 'site_ids' | 'expires_at' | 'last_used_at'> & { token_id: string; token_name: string }

/** The token with this index. Every request asks the database, so that a revoked token is refused at once everywhere. */
export async function findApiToken(db: Db, index: Buffer): Promise<FoundToken | undefined> {
  const { rows } = await prepared(sql<FoundToken>`
    select a.id, a.name, a.email, a.email_key, a.password_hash, a.plan, a.token_generation, a.primary_site_id, a.created_at,
      t.id as token_id, t.name as token_name, t.scopes, t.site_ids, t.expires_at, t.last_used_at
    from api_tokens t join accounts a on a.id = t.account_id where t.token_index = ${index}
  `).execute(db)
  return rows[0]
}

/** Notes that a token was used. */
export async function touchApiToken(db: Db, id: string, now: Date): Promise<void> {
  await db.updateTable('api_tokens').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Removes a token; false if the account has none with this id. */
export async function deleteApiToken(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_tokens')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes every account's tokens; returns how many there were. */
export async function endAllApiTokens(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('api_tokens').executeTakeFirst()
  return Number(numDeletedRows)
}
