import { randomBytes, timingSafeEqual } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError } from './config.ts'
import { type Keys, lookupIndex } from './crypto.ts'
import type { Database } from './db/database.ts'

/**
 * The operator's SECRET_KEY, or the one generated into the data directory at first start. The file is readable by its
 * owner only and is as precious as the database: without it the sites' secrets cannot be opened.
 */
export async function loadSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey
  const path = join(config.dataDir, 'secret.key')
  const existing = await readFile(path, 'utf8').catch(() => undefined)
  if (existing !== undefined && existing.trim().length >= 32) return existing.trim()
  const key = randomBytes(32).toString('base64')
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(`${key}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return key
}

/**
 * Makes sure that the database was made with this key; the first start leaves the key's fingerprint in it. Throws
 * ConfigError otherwise, before anything is sealed with the wrong key.
 */
export async function assertSameKey(db: Database, keys: Keys): Promise<void> {
  const fingerprint = lookupIndex(keys, 'installation')
  await sql`insert into installation (key_fingerprint) values (${fingerprint}) on conflict do nothing`.execute(db.root)
  const { rows } = await sql<{ key_fingerprint: Buffer }>`select key_fingerprint from installation`.execute(db.root)
  const stored = rows[0]?.key_fingerprint
  if (stored !== undefined && stored.length === fingerprint.length && timingSafeEqual(stored, fingerprint)) return
  throw new ConfigError([
    'SECRET_KEY: this database was made with another key. Set the one it was made with (for the embedded database it is the file secret.key in DATA_DIR).',
  ])
}
