import {
  type Argon2Parameters,
  argon2,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { unavailable } from './errors.ts'
import { Slots } from './slots.ts'

const argon2Async = promisify(argon2)

/** Keys for separate purposes, all derived from the operator's SECRET_KEY (HKDF-SHA256, RFC 5869). */
export type Keys = { token: Uint8Array; sealing: Uint8Array; index: Uint8Array }

/** Derives the service's keys. The same secret always gives the same keys. */
export function deriveKeys(secretKey: string): Keys {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', secretKey, 'postrider', purpose, 32))
  return { token: derive('account tokens'), sealing: derive('sealed columns'), index: derive('lookup of sealed keys') }
}

const SEAL_VERSION = 1

/**
 * Encrypts a secret for one row (AES-256-GCM). `associatedData` names table, column and row id and is authenticated,
 * so that a sealed value copied to another row does not open there. Layout: version, 12-byte nonce, tag, ciphertext.
 */
export function seal(keys: Keys, associatedData: string, secret: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keys.sealing, nonce).setAAD(Buffer.from(associatedData))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([SEAL_VERSION]), nonce, cipher.getAuthTag(), ciphertext])
}

/** A sealed value does not open with the key, or was not made for this associated data. */
export class SealError extends Error {
  constructor(associatedData: string, options?: ErrorOptions) {
    super(`what is sealed at ${associatedData} does not open with this key`, options)
    this.name = 'SealError'
  }
}

/** Opens what `seal` made for the same associated data. Throws SealError when the key, the associated data or the bytes differ. */
export function unseal(keys: Keys, associatedData: string, sealed: Buffer): string {
  if (sealed[0] !== SEAL_VERSION) throw new SealError(associatedData)
  try {
    const decipher = createDecipheriv('aes-256-gcm', keys.sealing, sealed.subarray(1, 13)).setAAD(
      Buffer.from(associatedData),
    )
    decipher.setAuthTag(sealed.subarray(13, 29))
    return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new SealError(associatedData, { cause })
  }
}

/** Like `unseal`, but undefined where that would throw SealError. */
export function unsealIfItOpens(keys: Keys, associatedData: string, sealed: Buffer): string | undefined {
  try {
    return unseal(keys, associatedData, sealed)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** A keyed fingerprint by which a sealed secret can be looked up; it does not reveal the secret. */
export function lookupIndex(keys: Keys, secret: string): Buffer {
  return createHmac('sha256', keys.index).update(secret).digest()
}

/** A token for a link in a mail: 32 random bytes in base64url. Only its hash is stored (`linkTokenHash`). */
export function createLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a link's token, and by which it is found: SHA-256. */
export function linkTokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

const ARGON2 = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

/** Two hashes at once leave the other half of the process's threads to files, name lookups and signatures. */
const hashing = new Slots(2)
/** About three seconds of waiting. */
const MOST_WAITING = 100

/** Argon2 in its turn. Throws `unavailable` when too many wait. */
async function hashed(parameters: Argon2Parameters): Promise<Buffer> {
  if (hashing.waiting >= MOST_WAITING) throw unavailable('Too many passwords are being checked. Try again shortly.')
  const slot = await hashing.take()
  try {
    return await argon2Async('argon2id', parameters)
  } finally {
    slot.free()
  }
}

/** Hashes a password with Argon2id (19 MiB, 2 passes); the result carries its parameters (PHC string format). Throws `unavailable`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await hashed({ message: password, nonce: salt, ...ARGON2 })
  return phc(salt, tag)
}

/** A hash that no password has. Verifying a password against it takes as long as against any other. */
export const NO_PASSWORD = phc(randomBytes(16), randomBytes(ARGON2.tagLength))

function phc(salt: Buffer, tag: Buffer): string {
  const b64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${ARGON2.memory},t=${ARGON2.passes},p=${ARGON2.parallelism}$${b64(salt)}$${b64(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/

/** Whether `password` is the one hashed. Takes the same time whether it is or not. Throws `unavailable`. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('stored password hash has an unknown format')
  const expected = Buffer.from(tag, 'base64')
  const actual = await hashed({
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected)
}
