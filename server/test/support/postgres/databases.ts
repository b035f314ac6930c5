import { randomBytes } from 'node:crypto'
import pg from 'pg'

export type TestDatabase = {
  /** URL of the new database, with the user of the admin URL. */
  url: string
  /** Drops it, ending its connections. */
  drop: () => Promise<void>
}

/** Creates a new database as a copy of `template`, to which nobody may be connected meanwhile. */
export async function createDatabaseFromTemplate(adminUrl: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${pg.escapeIdentifier(template)} STRATEGY WAL_LOG`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => execute(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
