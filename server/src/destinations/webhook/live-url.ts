import { z } from 'zod'
import { httpUrl } from '../../platform/http/url.ts'

const MOST_BYTES = 4 * 1024
const BRACE = '{'.charCodeAt(0)

const Answer = z.object({ url: httpUrl('url') })

/**
 * Where a site says that it shows a post: `{"url": "https://…"}` in the answer to a webhook. Null for any other answer: sites need not
 * say anything, and most say "OK".
 */
export function liveUrlOf(body: Uint8Array): string | null {
  if (body.length === 0 || body.length > MOST_BYTES || body[0] !== BRACE) return null
  try {
    return Answer.safeParse(JSON.parse(new TextDecoder().decode(body))).data?.url ?? null
  } catch {
    return null
  }
}
