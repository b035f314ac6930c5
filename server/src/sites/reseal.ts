import { sql } from 'kysely'
import { unopenedSecrets } from '../engine/index.ts'
import { type Keys, lookupIndex, seal, unseal, unsealIfItOpens } from '../platform/crypto.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { apiKeyAssociatedData } from './operations.ts'

const BATCH = 500

/** Tries to open the API key and webhook secret of the `most` newest sites. Resolves with how many it tried, and those that failed. */
export async function unopenedSites(
  db: Db,
  keys: Keys,
  most: number,
): Promise<{ tried: number; unopened: { id: string; name: string }[] }> {
  const { rows } = await sql<{ id: string; name: string; api_key_sealed: Buffer }>`
    select id, name, api_key_sealed from sites order by id desc limit ${most}
  `.execute(db)
  const secrets = await unopenedSecrets(
    db,
    keys,
    rows.map(({ id }) => id),
  )
  const unopened = rows.filter(
    ({ id, api_key_sealed }) =>
      secrets.has(id) || unsealIfItOpens(keys, apiKeyAssociatedData(id), api_key_sealed) === undefined,
  )
  return { tried: rows.length, unopened: unopened.map(({ id, name }) => ({ id, name })) }
}

/** Seals the API keys of all sites with `to` instead of `from`; returns how many. The keys themselves stay the same. */
export async function resealApiKeys(tx: Tx, from: Keys, to: Keys): Promise<number> {
  await sql`lock table sites in share row exclusive mode`.execute(tx)
  let done = 0
  for (let last: string | undefined; ; ) {
    const { rows } = await sql<{ id: string; api_key_sealed: Buffer }>`
      select id, api_key_sealed from sites where ${last ?? null}::uuid is null or id > ${last ?? null}::uuid
      order by id limit ${BATCH}
    `.execute(tx)
    if (rows.length === 0) return done
    const keys = rows.map((row) => unseal(from, apiKeyAssociatedData(row.id), row.api_key_sealed))
    await sql`
      update sites s set api_key_sealed = r.sealed, api_key_index = r.looked_up
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[],
        ${rows.map(({ id }, index) => seal(to, apiKeyAssociatedData(id), keys[index] ?? ''))}::bytea[],
        ${keys.map((key) => lookupIndex(to, key))}::bytea[]
      ) as r (id, sealed, looked_up)
      where s.id = r.id
    `.execute(tx)
    done += rows.length
    last = rows.at(-1)?.id
  }
}
