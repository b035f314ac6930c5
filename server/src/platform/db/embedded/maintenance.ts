/** Runs one statement outside any transaction, such as `pool.query`. */
export type RunStatement = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>

/** Far below the two billion at which PostgreSQL stops accepting writes, and above its own autovacuum's default. */
const OLDEST_TRANSACTION_AGE = 250_000_000

/**
 * Does what autovacuum and the checkpointer do on a server; the embedded database has neither. It covers every table: one that is
 * left out grows for ever. Each statement is a separate call, so that others run in between.
 */
export async function maintain(run: RunStatement): Promise<void> {
  const { rows: tables } = await run(`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY name
  `)
  for (const { name } of tables) await run(`VACUUM (ANALYZE) ${String(name)}`)
  const { rows } = await run('SELECT age(datfrozenxid) AS age FROM pg_database WHERE datname = current_database()')
  if (Number(rows[0]?.age) > OLDEST_TRANSACTION_AGE) await run('VACUUM')
  await run('CHECKPOINT')
}
