/**
 * Keeps posts in a table of the site's own database: PostgreSQL, SQLite or Cloudflare D1. The table is made at the first use. A page reads
 * one row, a list reads the rows of its part; bodies stay where they are.
 */
import { DEFAULT_LIMIT, type Kept, type ListedPost, listed, page, readMark, type Store } from './store.ts'

/** What is done with a statement whose parameters are `?1`, `?2`. */
type Database = {
  name: string
  /** The function that says where a text is in another, from 1; 0 if it is not. */
  positionIn: 'strpos' | 'instr'
  run(
    text: string,
    values: Array<string | number | null>,
  ): Promise<{ rows: Array<Record<string, unknown>>; changed: number }>
}

/** The table to keep posts in. Default `postrider_posts`. */
export type TableOptions = { table?: string }

type Value = string | number | null

/** What is needed of a `Pool` of `pg`. */
export type PostgresPool = {
  query(text: string, values: Value[]): Promise<{ rows: Array<Record<string, unknown>>; rowCount: number | null }>
}

/** Keeps posts in PostgreSQL. */
export function postgresStore(pool: PostgresPool, options: TableOptions = {}): Store {
  return sqlStore(
    {
      name: 'PostgreSQL',
      positionIn: 'strpos',
      async run(text, values) {
        const { rows, rowCount } = await pool.query(text.replaceAll(/\?(\d)/g, '$$$1'), values)
        return { rows, changed: rowCount ?? 0 }
      },
    },
    options,
  )
}

/** What is needed of a database of `node:sqlite` or `better-sqlite3`. */
export type SqliteDatabase = {
  prepare(text: string): { all(...values: Value[]): unknown[]; run(...values: Value[]): { changes: number | bigint } }
}

/** Keeps posts in SQLite. */
export function sqliteStore(database: SqliteDatabase, options: TableOptions = {}): Store {
  return sqlStore(
    {
      name: 'SQLite',
      positionIn: 'instr',
      async run(text, values) {
        const statement = database.prepare(text)
        if (text.startsWith('select'))
          return { rows: statement.all(...values) as Array<Record<string, unknown>>, changed: 0 }
        return { rows: [], changed: Number(statement.run(...values).changes) }
      },
    },
    options,
  )
}

/** What is needed of a binding of Cloudflare D1. */
export type D1Database = {
  prepare(text: string): {
    bind(...values: Value[]): { run(): Promise<{ results?: unknown[]; meta: { changes?: number } }> }
  }
}

/** Keeps posts in Cloudflare D1. */
export function d1Store(database: D1Database, options: TableOptions = {}): Store {
  return sqlStore(
    {
      name: 'Cloudflare D1',
      positionIn: 'instr',
      async run(text, values) {
        const { results = [], meta } = await database
          .prepare(text)
          .bind(...values)
          .run()
        return { rows: results as Array<Record<string, unknown>>, changed: meta.changes ?? 0 }
      },
    },
    options,
  )
}

/** The row that holds the cursor; ids of posts are UUIDs. */
const CURSOR = 'cursor'

function sqlStore({ name, positionIn, run }: Database, { table = 'postrider_posts' }: TableOptions): Store {
  if (!/^[a-z_][a-z0-9_.]*$/i.test(table)) throw new Error(`The table ${table} has a name that would need quotes.`)
  const index = table.replaceAll('.', '_')
  let made: Promise<void> | undefined
  const statement = async (text: string, values: Value[] = []) => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    await made
    return run(text, values)
  }
  async function make(): Promise<void> {
    await run(
      `create table if not exists ${table} (id text primary key, revision integer not null, kept text not null, listed text, slug text,
        former text, tags text, published_at text)`,
      [],
    )
    await run(`create index if not exists ${index}_slug on ${table} (slug)`, [])
    await run(`create index if not exists ${index}_newest on ${table} (published_at, id)`, [])
  }
  const keptOf = ({ rows: [row] }: { rows: Array<Record<string, unknown>> }) =>
    row === undefined ? undefined : (JSON.parse(String(row.kept)) as Kept)

  return {
    name,
    async read(id) {
      const found = await statement(`select kept, revision from ${table} where id = ?1`, [id])
      const kept = keptOf(found)
      return kept === undefined ? undefined : { kept, revision: Number(found.rows[0]?.revision) }
    },
    async write(id, kept, revision) {
      const values = [id, JSON.stringify(kept), ...columnsOf(kept)]
      const { changed } =
        revision === undefined
          ? await statement(
              `insert into ${table} (id, revision, kept, listed, slug, former, tags, published_at)
               values (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7) on conflict (id) do nothing`,
              values,
            )
          : await statement(
              `update ${table} set revision = revision + 1, kept = ?2, listed = ?3, slug = ?4, former = ?5, tags = ?6, published_at = ?7
               where id = ?1 and revision = ?8`,
              [...values, revision],
            )
      return changed > 0
    },
    async find(slug) {
      const now = keptOf(await statement(`select kept from ${table} where slug = ?1`, [slug]))
      const kept =
        now ??
        keptOf(
          await statement(
            `select kept from ${table} where ${positionIn}(former, ?1) > 0 order by published_at desc limit 1`,
            [line(slug)],
          ),
        )
      return kept?.post ?? undefined
    },
    async list({ limit = DEFAULT_LIMIT, after, tag } = {}) {
      const conditions = ['published_at is not null']
      const values: Value[] = [limit + 1]
      const parameter = (value: Value) => `?${values.push(value)}`
      if (tag !== undefined) conditions.push(`${positionIn}(tags, ${parameter(line(tag))}) > 0`)
      if (after !== undefined) {
        const { publishedAt, id } = readMark(after)
        conditions.push(`(published_at, id) < (${parameter(publishedAt)}, ${parameter(id)})`)
      }
      const { rows } = await statement(
        `select listed from ${table} where ${conditions.join(' and ')} order by published_at desc, id desc limit ?1`,
        values,
      )
      return page(
        rows.map((row) => JSON.parse(String(row.listed)) as ListedPost),
        limit,
      )
    },
    async readCursor() {
      const { rows } = await statement(`select kept from ${table} where id = ?1`, [CURSOR])
      return rows[0] === undefined ? undefined : String(rows[0].kept)
    },
    async writeCursor(cursor) {
      await statement(
        `insert into ${table} (id, revision, kept) values (?1, 1, ?2) on conflict (id) do update set kept = excluded.kept`,
        [CURSOR, cursor],
      )
    },
  }
}

function columnsOf({ post }: Kept): [string, string, string, string, string] | [null, null, null, null, null] {
  if (post === null) return [null, null, null, null, null]
  const former = (post.previous_slugs ?? []).map(line).join('')
  return [JSON.stringify(listed(post)), post.slug, former, post.tags.map(line).join(''), post.published_at]
}

/** A value as a line of a column of several: neither slugs nor tags have line breaks. */
function line(value: string): string {
  return `\n${value}\n`
}
