import { sql } from 'kysely'
import { type Keys, seal, unsealIfItOpens } from '../crypto.ts'
import type { Tx } from '../db/database.ts'
import { associatedData } from './idempotency.ts'

/** Few: an answer may be as large as a post. */
const BATCH = 20

type Kept = { scope: string; key: string; body: Buffer }

/**
 * Seals the kept answers with `to` instead of `from`, so that requests repeated across the change still get them. An answer that
 * does not open is lost, and stays as it is.
 */
export async function resealAnswers(tx: Tx, from: Keys, to: Keys): Promise<void> {
  await sql`lock table idempotency_keys in share row exclusive mode`.execute(tx)
  for (let last: Kept | undefined; ; ) {
    const { rows } = await sql<Kept>`
      select scope, key, body from idempotency_keys
      where body is not null and (scope, key) > (${last?.scope ?? ''}, ${last?.key ?? ''})
      order by scope, key limit ${BATCH}
    `.execute(tx)
    if (rows.length === 0) return
    const sealed = rows.map(({ scope, key, body }) => {
      const at = associatedData(scope, key)
      const answer = unsealIfItOpens(from, at, body)
      return answer === undefined ? body : seal(to, at, answer)
    })
    await sql`
      update idempotency_keys k set body = r.body
      from unnest(${rows.map(({ scope }) => scope)}::text[], ${rows.map(({ key }) => key)}::text[], ${sealed}::bytea[])
        as r (scope, key, body)
      where k.scope = r.scope and k.key = r.key
    `.execute(tx)
    last = rows.at(-1)
  }
}
