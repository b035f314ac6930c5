import { type Kysely, sql } from 'kysely'

/**
 * E-mail addresses are compared in the Unicode form NFKC. Of accounts whose addresses become the same, the one that has the plain form
 * keeps it; the other can be found under its old form by the operator alone.
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
