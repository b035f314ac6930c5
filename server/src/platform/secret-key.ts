/**
 * The root of all keys: SECRET_KEY, or the key file that was generated into the data directory at first start. The
 * file is readable by its owner only and is as precious as the database: without it the sites' secrets cannot be opened.
 *
 * The database holds the fingerprint of the right key. That makes a rotation safe to interrupt:
 *
 *   at rest        secret.key fits the database
 *   staged         secret.key fits; secret.key.new is on disk, complete or not            (`stageSecretKey`)
 *   committed      secret.key.new fits, and everything sealed opens with it                (the transaction)
 *   at rest again  secret.key.new has become secret.key                                    (`adoptStagedKey`)
 *
 * A process that starts in the third state brings about the fourth; in the second, it ignores the staged key. The first key is made
 * the same way, so that secret.key is never incomplete and never overwritten in place.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Config, ConfigError, SHORTEST_KEY } from './config.ts'
import { deriveKeys, type Keys, lookupIndex } from './crypto.ts'
import type { Database, Db, Tx } from './db/database.ts'
import { syncDirectory } from './directory-sync.ts'
import { unavailable } from './errors.ts'
import { isNoSuchFile, messageOf } from './thrown.ts'

type KeySource = Pick<Config, 'secretKey' | 'dataDir'>

const KEY_FILE = 'secret.key'
const STAGED_FILE = 'secret.key.new'

/** What identifies a key in the database and in backups. It reveals nothing of the key. */
function fingerprintOf(keys: Keys): Buffer {
  return lookupIndex(keys, 'installation')
}

/** The fingerprint of the key that this database was made with; undefined before the first start. */
export async function storedFingerprint(db: Db): Promise<Buffer | undefined> {
  const { rows } = await sql<{ key_fingerprint: Buffer }>`select key_fingerprint from installation`.execute(db)
  return rows[0]?.key_fingerprint
}

/** Whether `secretKey` is the one that `fingerprint` names. */
export function keyFits(secretKey: string, fingerprint: Buffer): boolean {
  const own = fingerprintOf(deriveKeys(secretKey))
  return own.length === fingerprint.length && timingSafeEqual(own, fingerprint)
}

/**
 * The key at hand: SECRET_KEY; or the staged key, if only that one fits `stored`; or else the key file's, whether it fits or not.
 * `staged`: whether it is the staged one; `place`: where it is, in words. Undefined when there is none. Throws ConfigError for a key
 * file that cannot be read or holds no whole key. Changes nothing.
 */
export async function findSecretKey(
  config: KeySource,
  stored: Buffer | undefined,
): Promise<{ key: string; staged: boolean; place: string } | undefined> {
  if (config.secretKey !== undefined) return { key: config.secretKey, staged: false, place: 'SECRET_KEY' }
  const [place, placeOfStaged] = [join(config.dataDir, KEY_FILE), join(config.dataDir, STAGED_FILE)]
  const current = await readKeyFile(place)
  const staged = await readKeyFile(placeOfStaged)
  const useStaged = stored !== undefined && staged !== undefined && keyFits(staged, stored)
  if (useStaged && !(current !== undefined && keyFits(current, stored)))
    return { key: staged, staged: true, place: placeOfStaged }
  if (current === undefined) return undefined
  if (current.length < SHORTEST_KEY) throw tooShort(config.dataDir, current.length, stored)
  return { key: current, staged: false, place }
}

function tooShort(dataDir: string, length: number, stored: Buffer | undefined): ConfigError {
  const path = join(dataDir, KEY_FILE)
  const advice =
    stored === undefined
      ? 'Put a complete key there (`openssl rand -base64 32`), or remove the file and a new one will be generated.'
      : `Restore the key ${shortFingerprint(stored)} from a backup, or set SECRET_KEY to it.`
  return new ConfigError([
    `SECRET_KEY: the file ${path} holds ${length} characters; a key must have at least ${SHORTEST_KEY}. ${advice}`,
  ])
}

/** Whether every user of this machine may read the key file. */
export async function isKeyFileOpen(dataDir: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const found = await stat(join(dataDir, KEY_FILE)).catch(() => undefined)
  return found !== undefined && (found.mode & 0o004) !== 0
}

/**
 * Throws ConfigError unless the key at hand is the one that this database was made with, if it was made with any. For a look before the
 * schema is touched: there may be none yet. Changes nothing.
 */
export async function assertKeyAtHand(config: KeySource, db: Db): Promise<void> {
  const { rows } = await sql`
    select from pg_attribute where attrelid = to_regclass('installation') and attname = 'key_fingerprint'
  `.execute(db)
  const stored = rows.length > 0 ? await storedFingerprint(db) : undefined
  if (stored === undefined) return
  const found = await findSecretKey(config, stored)
  if (found === undefined) throw missing(config.dataDir)
  if (!keyFits(found.key, stored)) throw otherKey()
}

/**
 * The secret key for this database; generated into the data directory for a new one. Completes a rotation that was
 * interrupted after its commit. Throws ConfigError when the key file of a database in use is gone.
 */
export async function loadSecretKey(config: KeySource, db: Database): Promise<string> {
  const stored = await storedFingerprint(db.root)
  const found = await findSecretKey(config, stored)
  if (found?.staged === true) await adoptStagedKey(config.dataDir)
  if (found !== undefined) return found.key
  if (stored !== undefined) throw missing(config.dataDir)
  const key = createSecretKey()
  await writeKeyFile(config.dataDir, key)
  return key
}

/**
 * Makes sure that the database was made with this key; the first start leaves the key's fingerprint in it. Throws
 * ConfigError otherwise, before anything is sealed with the wrong key.
 */
export async function assertSameKey(db: Database, keys: Keys): Promise<void> {
  const fingerprint = fingerprintOf(keys)
  await sql`insert into installation (key_fingerprint) values (${fingerprint}) on conflict do nothing`.execute(db.root)
  const stored = await storedFingerprint(db.root)
  if (stored !== undefined && stored.length === fingerprint.length && timingSafeEqual(stored, fingerprint)) return
  throw otherKey()
}

function missing(dataDir: string): ConfigError {
  return new ConfigError([
    `SECRET_KEY: the file ${join(dataDir, KEY_FILE)} is missing, and this database needs it. Restore it from a backup, or set SECRET_KEY to its contents.`,
  ])
}

function otherKey(): ConfigError {
  return new ConfigError([
    'SECRET_KEY: this database belongs to another key. Set SECRET_KEY to that key (for the embedded database it is in the file secret.key in DATA_DIR).',
  ])
}

/**
 * For transactions that seal what cannot be made again, once they hold a lock on its table: throws `unavailable` if the database
 * belongs to another key by now, because `keys rotate` was forced while this process runs.
 */
export async function assertKeyInUse(tx: Tx, keys: Keys): Promise<void> {
  const stored = await storedFingerprint(tx)
  if (stored === undefined || stored.equals(fingerprintOf(keys))) return
  throw unavailable(
    'The service must be restarted before it can do this. Ask the operator to restart it, then try again.',
    new Error('the secret key was replaced: restart this process with the new one'),
  )
}

/** A new random key. */
export function createSecretKey(): string {
  return randomBytes(32).toString('base64')
}

/** Writes the first key file of a data directory, synced to disk. */
export async function writeKeyFile(dataDir: string, key: string): Promise<void> {
  await stageSecretKey(dataDir, key)
  await adoptStagedKey(dataDir)
}

/** Writes the next key beside the present one, synced to disk. It may overwrite a staged key, which never came into use. */
export async function stageSecretKey(dataDir: string, key: string): Promise<void> {
  await writeSynced(dataDir, STAGED_FILE, key)
}

/** Keeps a copy of the present key under a name with its fingerprint; backups made with it need it. */
export async function keepOldKey(dataDir: string, key: string): Promise<string> {
  const name = `${KEY_FILE}.${shortFingerprint(fingerprintOf(deriveKeys(key)))}`
  await writeSynced(dataDir, name, key)
  return join(dataDir, name)
}

/** Makes the staged key the present one. */
export async function adoptStagedKey(dataDir: string): Promise<void> {
  await rename(join(dataDir, STAGED_FILE), join(dataDir, KEY_FILE))
  await syncDirectory(dataDir)
}

/** Records that from this transaction on the database belongs to `keys`. */
export async function replaceFingerprint(tx: Tx, keys: Keys): Promise<void> {
  await sql`update installation set key_fingerprint = ${fingerprintOf(keys)}`.execute(tx)
}

/** Makes the database one that no key has been used with yet. */
export async function forgetFingerprint(tx: Tx): Promise<void> {
  await sql`delete from installation`.execute(tx)
}

/** Enough of a fingerprint for people to tell keys apart. */
export function shortFingerprint(fingerprint: Buffer): string {
  return fingerprint.toString('hex').slice(0, 8)
}

async function readKeyFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (isNoSuchFile(error)) return undefined
    throw new ConfigError([
      `SECRET_KEY: the file ${path} cannot be read (${messageOf(error)}). It holds the key: give this user permission to read it, or restore the file from a backup.`,
    ])
  }
}

async function writeSynced(dataDir: string, name: string, key: string): Promise<void> {
  const file = await open(join(dataDir, name), 'w', 0o600)
  try {
    await file.chmod(0o600) // the file may exist already, readable by everybody
    await file.writeFile(`${key}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncDirectory(dataDir)
}
