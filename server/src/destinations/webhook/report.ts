import { z } from 'zod'
import type { ReceiverReport } from '../channel.ts'
import { excerptOf } from '../excerpt.ts'

const MOST_BYTES = 4 * 1024

const Answer = z.object({
  ok: z.boolean().optional(),
  store: z.string().max(60).optional(),
  previews: z.boolean().optional(),
  message: z.string().optional(),
})

/** The report of a receiver that says nothing. */
export const NO_REPORT: ReceiverReport = { store: null, previews: false, problem: null }

/**
 * Reads what a receiver answered to `site.test`: `{"ok": true, "store": "files"}`, or `{"ok": false, "message": "…"}`. Anything else, and
 * more than 4 KiB, says nothing.
 */
export function reportOf(body: Uint8Array): ReceiverReport {
  if (body.length > MOST_BYTES) return NO_REPORT
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return NO_REPORT
  }
  const { data } = Answer.safeParse(json)
  if (data?.ok === true) return { store: readable(data.store), previews: data.previews === true, problem: null }
  if (data?.ok === false) return { ...NO_REPORT, problem: readable(data.message) }
  return NO_REPORT
}

function readable(text: string | undefined): string | null {
  return text === undefined ? null : excerptOf(Buffer.from(text))
}
