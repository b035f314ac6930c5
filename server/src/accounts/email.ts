/** E-mail addresses: how they are stored, compared and checked (decision A1). */
import { normalized } from '../platform/normalize.ts'

/** The most characters of an address. */
export const MAX_EMAIL = 254

/** An address as it is stored: without spaces around it, each character in its usual form (NFKC). */
export function plainEmail(email: string): string {
  return normalized(email.trim(), 'NFKC').trim()
}

/** An address in the form used for comparison. */
export function emailKey(email: string): string {
  return normalized(plainEmail(email).toLowerCase(), 'NFKC')
}

/** Characters that nobody sees: two addresses that differ in them look the same. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether an address has a character that nobody sees. */
export function hasInvisible(email: string): boolean {
  return INVISIBLE.test(email)
}

/** Whether a text looks like an address. Without a regular expression over the whole text, which would take quadratic time on a hostile one. */
export function looksLikeEmail(value: string): boolean {
  const [local, domain, ...rest] = value.slice(0, MAX_EMAIL + 1).split('@')
  if (!local || !domain || rest.length > 0 || /\s/u.test(value.slice(0, MAX_EMAIL + 1))) return false
  return domain.includes('.') && domain.split('.').every((label) => label !== '')
}

const NEVER =
  '\\x00-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\uffff'

/** The same for readers of the API document, without what normalisation may bring about. */
export const EMAIL_PATTERN = `^\\s*[^@\\s${NEVER}]+@[^@\\s.${NEVER}]+(\\.[^@\\s.${NEVER}]+)+\\s*$`
