/**
 * Converts bodies on a thread of their own: a hostile one takes a second of processor time, in which nobody else would be answered
 * and nothing be delivered. One is converted at a time, and accounts have their turns one after the other, so that an account
 * with many such bodies keeps only itself waiting.
 */
import type { Context } from '../../platform/context.ts'
import { fail, invalid } from '../../platform/errors.ts'
import { onePer } from '../../platform/one-per.ts'
import { Slots } from '../../platform/slots.ts'
import { isOutOfMemory, Thread } from '../../platform/thread.ts'
import { type BodyInput, type Conversion, type ConvertedBody, conversionOf, sourceOf } from './convert.ts'

/** So many characters are converted here: they cannot cost much, and the way to the thread and back would take longer. */
const FEW = 1_000
/** How many bodies of one account may wait for their turn. */
const MOST_WAITING = 32
/** It takes about 60 MB, and half a second to start. The largest bodies take half of its memory at most. */
const THREAD = {
  module: new URL('./thread.ts', import.meta.url),
  idleMs: 300_000,
  memoryMb: { young: 16, old: 256 },
}

const converterOf = onePer((_: Context) => ({ turns: new Slots(1), thread: new Thread<BodyInput, Conversion>(THREAD) }))

/** All forms of a body (see `convertBody`). Throws `invalid` on the form that is malformed or too large. */
export async function convertForms(ctx: Context, accountId: string, input: BodyInput): Promise<ConvertedBody> {
  const conversion = charactersOf(input) <= FEW ? conversionOf(input) : await askThread(ctx, accountId, input)
  if ('body' in conversion) return conversion.body
  const { path, message } = conversion.refused
  throw invalid(`body.${path}`, `body.${path} ${message}.`)
}

function charactersOf({ html = '', markdown = '', json }: BodyInput): number {
  return html.length + markdown.length + (json === undefined ? 0 : JSON.stringify(json).length)
}

async function askThread(ctx: Context, accountId: string, input: BodyInput): Promise<Conversion> {
  const { turns, thread } = converterOf(ctx)
  if (turns.waitingOf(accountId) >= MOST_WAITING)
    throw fail('unavailable', 'Too many posts of this account wait to be converted. Try again shortly.', {
      headers: { 'Retry-After': '5' },
    })
  const turn = await turns.take(1, accountId)
  try {
    return await thread.ask(input)
  } catch (error) {
    if (!isOutOfMemory(error)) throw error
    return { refused: { path: sourceOf(input), message: 'is too complex' } }
  } finally {
    turn.free()
  }
}
