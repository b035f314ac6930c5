import { type Kysely, sql } from 'kysely'

/** Deliveries that a site confirmed itself: they count as delivered, but have no measured response time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table delivery_hours add column confirmed integer not null default 0').execute(db)
}
