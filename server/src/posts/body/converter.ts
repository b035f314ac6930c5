/**
 * Converts bodies on a thread of their own: a hostile one takes a second of processor time, in which nobody else would be answered
 * and nothing be delivered. One is converted at a time, and accounts have their turns one after the other, so that an account
 * with many such bodies keeps only itself waiting.
 */
import type { Context } from '../../platform/context.ts'
import { invalid, unavailable } from '../../platform/errors.ts'
import { oncePer } from '../../platform/once-per.ts'
import { Slots } from '../../platform/slots.ts'
import { Thread } from '../../platform/thread.ts'
import { type BodyInput, type BodyRules, type Conversion, type ConvertedBody, conversionOf } from './convert.ts'

/** Up to this many characters are converted here, unless they may be a table: it costs less than the way to the thread and back. */
const FEW = 1_000
/** How many characters may wait, in all and of one account; an account's only waiting body may be larger. */
const MOST_WAITING = { all: 16 * 1024 * 1024, ofOne: 1024 * 1024 }
/** The thread takes about 60 MB, and half a second to start. */
const IDLE_MS = 60_000

const converterOf = oncePer((_: Context) => ({
  turns: new Slots(1),
  thread: new Thread<[BodyInput, BodyRules], Conversion>(new URL('./thread.ts', import.meta.url), IDLE_MS),
}))

/** All forms of a body (see `convertBody`). Throws `invalid` on the form that is malformed or too large. */
export async function convertForms(ctx: Context, accountId: string, input: BodyInput): Promise<ConvertedBody> {
  const characters = charactersOf(input)
  const isCheap = characters <= FEW && !mayHaveTable(input)
  const rules = { embedHosts: ctx.config.embedHosts }
  const conversion = isCheap ? conversionOf(input, rules) : await askThread(ctx, accountId, [input, rules], characters)
  if ('body' in conversion) return conversion.body
  const { path, message } = conversion.refused
  throw invalid(`body.${path}`, `body.${path} ${message}.`)
}

/** Each row of a table in Markdown is filled up to the table's width: 1,000 characters can become 20,000 cells. */
function mayHaveTable({ markdown = '' }: BodyInput): boolean {
  return markdown.includes('|')
}

function charactersOf({ html = '', markdown = '', json }: BodyInput): number {
  return html.length + markdown.length + (json === undefined ? 0 : JSON.stringify(json).length)
}

async function askThread(
  ctx: Context,
  accountId: string,
  question: [BodyInput, BodyRules],
  characters: number,
): Promise<Conversion> {
  const { turns, thread } = converterOf(ctx)
  if (!turns.mayWait(characters, accountId, MOST_WAITING))
    throw unavailable('Too many posts are waiting to be converted. Try again shortly.')
  const turn = await turns.take(characters, accountId)
  try {
    return await thread.ask(question)
  } finally {
    turn.free()
  }
}
