import pg from 'pg'
import { ODD } from './installation.ts'

/** Adds rows with values that no request can produce, but that a database can hold. */
export async function addOddRows(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into deliveries (id, account_id, site_id, post_id, event_id, sequence, status, created_at, last_error, metadata)
     select gen_random_uuid(), account_id, site_id, gen_random_uuid(), gen_random_uuid(), n, 'failed',
       '2026-02-28 23:59:59.123456+05:30'::timestamptz + n * interval '1 microsecond', $1,
       (array[null, 'null', '{"a": 1e400, "\\u2028": [0.1000]}'])[1 + n % 3]::jsonb
     from endpoints, generate_series(1, 1500) n`,
    [ODD],
  )
  // As in posts from before this was kept: the last preview did not know it.
  await client.query('update posts set revised_at = null, revised_by = default')
  await client.end()
}

/** A digest of each table, computed by the server. */
export async function digests(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query(`select md5(string_agg(t::text, '|' order by t::text)) as md5 from ${name} t`)
    found[name] = rows[0].md5
  }
  await client.end()
  return found
}
