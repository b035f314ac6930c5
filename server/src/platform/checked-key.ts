/** Secrets that people copy by hand: a prefix, 32 random bytes and a checksum, both in base 62. The checksum catches typing errors without a lookup. */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The base-62 digits of 32 bytes, and of 4 bytes. */
const KEY_DIGITS = 43
const CHECKSUM_DIGITS = 6

function base62(bytes: Uint8Array, digits: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (let index = 0; index < digits; index += 1) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return base62(bytes, CHECKSUM_DIGITS)
}

/** A new key with this prefix, such as `pr_`. */
export function createCheckedKey(prefix: string): string {
  const key = base62(randomBytes(32), KEY_DIGITS)
  return prefix + key + checksum(key)
}

/** Whether `text` has the prefix, the form and the checksum of a key. The key need not exist. */
export function looksLikeCheckedKey(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix)) return false
  const [, key, sum] = /^([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text.slice(prefix.length)) ?? []
  return key !== undefined && sum === checksum(key)
}
