/**
 * Statements that the server plans once per connection instead of every time. Worth it for the few that run all the time
 * and whose plan does not depend on their parameters; half of a short statement's time is planning.
 */
import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** How a statement says it. */
const MARK = '/* prepared */ '

/** The same statement, planned once per connection. Its text must be the same every time. */
export function prepared<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`${sql.raw(MARK)}${statement}`
}

const names = new Map<string, string>()

/** The name under which a statement is prepared; undefined for those that are not. */
export function preparedName(text: string): string | undefined {
  if (!text.startsWith(MARK)) return undefined
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `p_${hash('sha1', text).slice(0, 16)}`
  names.set(text, name)
  return name
}
