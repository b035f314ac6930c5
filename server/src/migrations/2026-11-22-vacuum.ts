import { type Kysely, sql } from 'kysely'

/**
 * When autovacuum processes the tables whose rows change all the time. By default it waits until a fifth of a table changed:
 * by then reading lanes would pass thousands of dead rows, and a table with years of history would hardly ever be vacuumed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SETTINGS).execute(db)
}

const SETTINGS = `
alter table lanes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1);
alter table delivery_hours set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
alter table deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
  autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);
`
