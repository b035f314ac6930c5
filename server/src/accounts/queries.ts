import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Plan } from '../platform/config.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { prepared } from '../platform/db/statements.ts'
import type { Tables } from '../platform/db/tables.ts'
import type { AccountRow } from './tables.ts'

/** How many rows are removed at once: one statement for any number of them might never end in the time that it has. */
const REMOVED_AT_ONCE = 5_000

/** Stores a new account. Violates `accounts_email_key` when the address is taken. */
export async function insertAccount(db: Db, account: Insertable<Tables['accounts']>): Promise<AccountRow> {
  return db.insertInto('accounts').values(account).returningAll().executeTakeFirstOrThrow()
}

/** The account with this comparison key, if there is one. */
export async function findAccountByEmailKey(db: Db, emailKey: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('email_key', '=', emailKey).executeTakeFirst()
}

/** The account with this comparison key, if there is one, and whether somebody has logged in to it from this network. */
export async function findAccountByLogin(
  db: Db,
  emailKey: string,
  network: Buffer,
): Promise<{ account: AccountRow; known: boolean } | undefined> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .select(
      sql<boolean>`exists (select from login_networks n where n.account_id = accounts.id and n.network = ${network})`.as(
        'known',
      ),
    )
    .where('email_key', '=', emailKey)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { known, ...account } = row
  return { account, known }
}

/** Records that somebody has logged in to the account from this network. */
export async function upsertNetwork(db: Db, accountId: string, network: Buffer, at: Date): Promise<void> {
  await sql`
    insert into login_networks (account_id, network, last_login_at) values (${accountId}, ${network}, ${at})
    on conflict (account_id, network) do update set last_login_at = excluded.last_login_at
  `.execute(db)
}

/** Removes some of the networks from which nobody has logged in since `before`; returns whether there may be more. */
export async function removeOldNetworks(db: Db, before: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from login_networks where (account_id, network) in (
      select account_id, network from login_networks where last_login_at <= ${before} limit ${REMOVED_AT_ONCE} for update skip locked
    )
  `.execute(db)
  return numAffectedRows === BigInt(REMOVED_AT_ONCE)
}

/** The account with this id, if there is one and the session has not ended. */
export async function findAccountInSession(db: Db, id: string, sessionId: string): Promise<AccountRow | undefined> {
  const { rows } = await prepared(sql<AccountRow>`
    select id, name, email, email_key, password_hash, plan, token_generation, primary_site_id, created_at from accounts
    where id = ${id} and not exists (select from ended_sessions where id = ${sessionId})
  `).execute(db)
  return rows[0]
}

/** Ends a session. Until `expiresAt` a token of it may be shown; then the row is of no use. */
export async function insertEndedSession(tx: Tx, sessionId: string, expiresAt: Date): Promise<void> {
  await sql`
    insert into ended_sessions (id, expires_at) values (${sessionId}, ${expiresAt}) on conflict (id) do nothing
  `.execute(tx)
}

/** Removes some of the ended sessions of which no token is valid any more; returns whether there may be more. */
export async function removeExpiredSessions(db: Db, now: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from ended_sessions where id = any(array(
      select id from ended_sessions where expires_at <= ${now} limit ${REMOVED_AT_ONCE} for update skip locked
    ))
  `.execute(db)
  return numAffectedRows === BigInt(REMOVED_AT_ONCE)
}

/**
 * The time in seconds, or one more than the last. After a restore or failover that lost the last raise, a counter would come to the same
 * number again, and tokens which that raise had ended would be valid again.
 * Not in microseconds as fences are: in the schema of an older backup the column is an integer.
 */
const NEXT_GENERATION = sql<number>`greatest(token_generation + 1, extract(epoch from statement_timestamp())::bigint)`

/** Raises the account's token generation, so that every existing token is refused. */
export async function raiseTokenGeneration(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('accounts').set({ token_generation: NEXT_GENERATION }).where('id', '=', id).execute()
}

/** Raises every account's token generation. For a restored database: logins may have been ended after the backup. */
export async function endAllLogins(tx: Tx): Promise<void> {
  await tx.updateTable('accounts').set({ token_generation: NEXT_GENERATION }).execute()
}

/** Locks the account with this comparison key until the transaction ends, if there is one. */
export async function lockAccountByEmailKey(tx: Tx, emailKey: string): Promise<AccountRow | undefined> {
  return tx.selectFrom('accounts').selectAll().where('email_key', '=', emailKey).forUpdate().executeTakeFirst()
}

/**
 * Replaces the account's password and raises its token generation. `of` is the account as it was read; resolves with undefined
 * when its password or its generation has changed since.
 */
export async function updatePassword(tx: Tx, of: AccountRow, passwordHash: string): Promise<AccountRow | undefined> {
  return tx
    .updateTable('accounts')
    .set({ password_hash: passwordHash, token_generation: NEXT_GENERATION })
    .where('id', '=', of.id)
    .where('password_hash', '=', of.password_hash)
    .where('token_generation', '=', of.token_generation)
    .returningAll()
    .executeTakeFirst()
}

/** Every account, oldest first. */
export async function allAccounts(db: Db): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute()
}

/** Deletes an account that has nothing any more. */
export async function deleteAccount(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute()
}

/** Makes a site the original of posts that are created without one; null: none. Resolves with the changed account. */
export async function setDefaultOriginal(tx: Tx, id: string, siteId: string | null): Promise<AccountRow> {
  return tx
    .updateTable('accounts')
    .set({ primary_site_id: siteId })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A site that is disconnected is no default any more. */
export async function forgetDefaultOriginal(tx: Tx, id: string, siteId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ primary_site_id: null })
    .where('id', '=', id)
    .where('primary_site_id', '=', siteId)
    .execute()
}

/** SQL: the original that a new post of the account has unless it is given one. */
export function defaultOriginal(id: string): RawBuilder<string | null> {
  return sql<string | null>`(select primary_site_id from accounts where id = ${id})`
}

/** Puts the account on another plan. */
export async function updatePlan(tx: Tx, id: string, plan: Plan): Promise<void> {
  await tx.updateTable('accounts').set({ plan }).where('id', '=', id).execute()
}
