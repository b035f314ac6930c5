import { z } from 'zod'
import { httpUrl } from '../../platform/http/url.ts'

const MOST_BYTES = 4 * 1024
const BRACE = '{'.charCodeAt(0)

const Answer = z.object({ url: z.string() })
const Address = httpUrl('url')

/**
 * Where a site says that it shows a post: `{"url": "https://…"}` in the answer to a webhook, or `{"url": "/…"}` for a path on the host of
 * the webhook's address: behind a proxy, a site does not know its own. Null for any other answer: sites need not say anything, and most say "OK".
 */
export function liveUrlOf(body: Uint8Array, webhookUrl: string): string | null {
  if (body.length === 0 || body.length > MOST_BYTES || body[0] !== BRACE) return null
  try {
    const { url } = Answer.parse(JSON.parse(new TextDecoder().decode(body)))
    const base = new URL(webhookUrl)
    const address = url.startsWith('/') ? new URL(url, base) : undefined
    if (address !== undefined && address.host !== base.host) return null
    return Address.safeParse(address?.href ?? url).data ?? null
  } catch {
    return null
  }
}
