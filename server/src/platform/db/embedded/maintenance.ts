/** Runs one statement outside any transaction, such as `pool.query`. */
export type RunStatement = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>

/** Far below the two billion at which PostgreSQL stops accepting writes, and above its own autovacuum's default. */
const OLDEST_TRANSACTION_AGE = 250_000_000

/**
 * What autovacuum and the checkpointer do on a server, of which the embedded database has neither. Each statement is
 * a call of its own, so that other work gets in between; while one runs, the event loop stands still.
 * `hotTables` are names as written in SQL without quotes, optionally with a schema.
 */
export async function maintain(run: RunStatement, hotTables: readonly string[]): Promise<void> {
  for (const table of hotTables) await run(`VACUUM (ANALYZE) ${quoteName(table)}`)
  const { rows } = await run('SELECT age(datfrozenxid) AS age FROM pg_database WHERE datname = current_database()')
  if (Number(rows[0]?.age) > OLDEST_TRANSACTION_AGE) await run('VACUUM')
  await run('CHECKPOINT')
}

function quoteName(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}
