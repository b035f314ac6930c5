/** Runs one statement outside any transaction, such as `pool.query`. */
export type RunStatement = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>

/** Far below the two billion at which PostgreSQL stops accepting writes, and above its own autovacuum's default. */
const OLDEST_TRANSACTION_AGE = 250_000_000

/** Which tables are maintained: all, or those that have more than doubled since they last were. */
export type Extent = 'all' | 'grown'

/** A table has grown when it has over twice its former pages and this many besides. */
const FEW_PAGES = 8

/** After a crash the next start replays the WAL since the last checkpoint: 535 MB took half a minute. */
const LONGEST_WAL_BYTES = 128 * 2 ** 20

/**
 * Does what autovacuum, the checkpointer and the WAL writer do on a server; the embedded database has none of them. It covers every
 * table: one that is left out grows for ever. Each statement is a separate call, so that others run in between.
 */
export async function maintain(run: RunStatement, extent: Extent): Promise<void> {
  await writeWal(run)
  await vacuum(run, extent)
  if (extent === 'grown') return
  const { rows } = await run('SELECT age(datfrozenxid) AS age FROM pg_database WHERE datname = current_database()')
  if (Number(rows[0]?.age) > OLDEST_TRANSACTION_AGE) await run('VACUUM')
  await run('CHECKPOINT')
}

/** Syncs the WAL of commits that did not wait for the disk. Checkpoints when the WAL kept since the last checkpoint is long. */
async function writeWal(run: RunStatement): Promise<void> {
  const { rows } = await run(`
    SELECT pg_current_wal_lsn() - (pg_control_checkpoint()).redo_lsn > ${LONGEST_WAL_BYTES} AS long,
      pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() AS unwritten
  `)
  if (rows[0]?.long === true) await run('CHECKPOINT')
  // A message that nobody reads: there is no other function that syncs the WAL up to here.
  else if (rows[0]?.unwritten === true) await run("SELECT pg_logical_emit_message(false, 'postrider', '', true)")
}

/**
 * Vacuums and analyses tables. A statement prepared when a table had one page reads the whole table, however large, until the table is
 * analysed again; so grown tables are not left to wait.
 */
async function vacuum(run: RunStatement, extent: Extent): Promise<void> {
  const { rows: tables } = await run(`
    SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ${extent === 'grown' ? GROWN : ''}
    ORDER BY name
  `)
  for (const { name } of tables) await run(`VACUUM (ANALYZE) ${String(name)}`)
  // Each ANALYZE has replaced statistics, and left the old rows dead.
  if (extent === 'all') await run('VACUUM pg_statistic')
}

const GROWN = `AND pg_relation_size(c.oid) / current_setting('block_size')::int > 2 * c.relpages + ${FEW_PAGES}`
