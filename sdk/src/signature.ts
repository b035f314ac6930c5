/** Signatures of Standard Webhooks, with Web Crypto only. */

/** The key that a `webhook_secret` encodes, with or without its prefix; undefined if it encodes none. */
export async function importSecret(secret: string): Promise<CryptoKey | undefined> {
  const raw = decodeBase64(secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret)
  if (raw === undefined || raw.length === 0) return undefined
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/** The signature of a request: HMAC-SHA256 of its id, its timestamp as the header has it, and its body. */
export async function sign(
  key: CryptoKey,
  id: string,
  timestamp: string,
  body: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await crypto.subtle.sign('HMAC', key, join(new TextEncoder().encode(`${id}.${timestamp}.`), body)),
  )
}

/** The bytes that base64 encodes; undefined if it is not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}
