import { sql } from 'kysely'
import { type Keys, seal, unsealIfItOpens } from '../platform/crypto.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { openSecret, secretAssociatedData } from './endpoints.ts'

const BATCH = 500

/** Which of the sites have a secret that does not open with `keys`. */
export async function unopenedSecrets(db: Db, keys: Keys, siteIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ site_id: string; secret_sealed: Buffer }>`
    select site_id, secret_sealed from endpoints where site_id = any(${siteIds}::uuid[]) and secret_sealed is not null
  `.execute(db)
  return new Set(
    rows
      .filter((row) => unsealIfItOpens(keys, secretAssociatedData(row.site_id), row.secret_sealed) === undefined)
      .map((row) => row.site_id),
  )
}

/** Seals the secrets of all living endpoints with `to` instead of `from`; returns how many. */
export async function resealSecrets(tx: Tx, from: Keys, to: Keys): Promise<number> {
  await sql`lock table endpoints in share row exclusive mode`.execute(tx)
  let done = 0
  for (let last: string | undefined; ; ) {
    const { rows } = await sql<{ site_id: string; secret_sealed: Buffer }>`
      select site_id, secret_sealed from endpoints
      where secret_sealed is not null and (${last ?? null}::uuid is null or site_id > ${last ?? null}::uuid)
      order by site_id limit ${BATCH}
    `.execute(tx)
    if (rows.length === 0) return done
    await sql`
      update endpoints e set secret_sealed = r.sealed
      from unnest(
        ${rows.map((row) => row.site_id)}::uuid[],
        ${rows.map((row) => seal(to, secretAssociatedData(row.site_id), openSecret(from, row.site_id, row.secret_sealed)))}::bytea[]
      ) as r (site_id, sealed)
      where e.site_id = r.site_id
    `.execute(tx)
    done += rows.length
    last = rows.at(-1)?.site_id
  }
}
