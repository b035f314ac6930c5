import { type Kysely, sql } from 'kysely'

/**
 * E-mail addresses are compared in the Unicode form NFKC. Of accounts whose addresses become the same, the one that has the plain form
 * keeps it, or else the older one. The other stays under its old key, which nothing looks for any more: nobody logs in to it, `account list`
 * shows it, and whoever needs it gives it another address by SQL.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; email: string; email_key: string }>`
    select id, email, email_key from accounts where octet_length(email_key) > char_length(email_key) order by created_at, id
  `.execute(db)
  for (const { id, email, email_key: before } of rows) {
    const key = email.trim().normalize('NFKC').trim().toLowerCase().normalize('NFKC')
    if (key === before) continue
    await sql`
      update accounts set email_key = ${key}
      where id = ${id} and not exists (select from accounts other where other.email_key = ${key})
    `.execute(db)
  }
}
