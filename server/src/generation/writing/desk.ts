/** What the writing needs from outside: somebody to ask. Answers are kept under their names, so a name is asked once. */

import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { type JsonSchema, ModelError } from '../model/model.ts'
import { data } from './voice.ts'

/** What a draft is at, for those who wait. `part` of `parts` while sections are written; `done` from 0 to 1. */
export type Progress = {
  step: 'outline' | 'sections' | 'faq' | 'details' | 'saving'
  done: number
  part?: number
  parts?: number
}

/** A question as the writing puts it; `words` is about how long the answer is. */
export type Inquiry = { prompt: string; words: number; shape?: { name: string; schema: JsonSchema } }

/** Asks the model, or gives the answer that was saved under this name. Throws ModelError. */
export type Ask = (name: string, inquiry: Inquiry, progress: Progress) => Promise<string>

/** The shape of an answer: `wire` for servers that enforce one, `read` for taking what comes, `example` for the prompt. */
export type Shape<T> = { name: string; wire: z.ZodType; read: z.ZodType<T, unknown>; example: unknown }

/** What is wrong with an answer that can be read, a line each, for the model. */
export type Examine<T> = (value: T) => string[]

const TRIES = 3
/** The answer with the fewest complaints is shown to the model with them, but not all of a runaway one. */
const SHOWN_CHARACTERS = 6_000

/**
 * Asks for an object. An answer that cannot be read, or with which something is wrong, is asked for again with the
 * complaints, up to three times in all under the names `name`, `name~2` and `name~3`; then the best readable one is
 * taken. Throws ModelError `unusable` when none was.
 */
export async function askForObject<T>(
  ask: Ask,
  name: string,
  { prompt, words, progress }: { prompt: string; words: number; progress: Progress },
  shape: Shape<T>,
  examine: Examine<T> = () => [],
): Promise<T> {
  const { name: shapeName, wire, read, example } = shape
  const asked = `${prompt}\n\nAnswer with JSON alone, in exactly this form:\n${JSON.stringify(example)}`
  const schema = toJsonSchema(wire)
  let best: { value: T; complaints: number } | undefined
  let more = ''
  for (let round = 1; round <= TRIES; round += 1) {
    const inquiry = { prompt: asked + more, words, shape: { name: shapeName, schema } }
    const text = await ask(round === 1 ? name : `${name}~${round}`, inquiry, progress)
    const value = readObject(text, read)
    const complaints = value === undefined ? ['It is not JSON of the form asked for.'] : examine(value)
    if (value !== undefined && complaints.length < (best?.complaints ?? Number.POSITIVE_INFINITY))
      best = { value, complaints: complaints.length }
    if (complaints.length === 0) break
    const earlier = data('earlier_answer', { text: text.slice(0, SHOWN_CHARACTERS), wrong_with_it: complaints })
    more = `\n\n${earlier}\nAnswer again, whole, and put right what was wrong with the earlier answer.`
  }
  if (best === undefined) throw new ModelError('unusable', { detail: `no readable answer to ${name}` })
  return best.value
}

function toJsonSchema(wire: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(wire, { io: 'input' })
  return schema
}

/**
 * The object in a text: the whole of it, in a fence, or between remarks; mended where models commonly err. Also taken out of
 * a wrapper of one field. Undefined when there is none of this shape.
 */
function readObject<T>(text: string, read: z.ZodType<T, unknown>): T | undefined {
  const fenced = /```[a-z]*\s*\n([\s\S]*?)```/i.exec(text)?.[1]
  const braced = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  for (const candidate of [text, fenced, braced]) {
    if (candidate === undefined || !candidate.includes('{')) continue
    const value = parse(candidate)
    const wrapped = isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined
    for (const one of [value, wrapped]) {
      const result = read.safeParse(one)
      if (result.success) return result.data
    }
  }
  return undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, storable)
  } catch {
    try {
      return JSON.parse(jsonrepair(text), storable)
    } catch {
      return undefined
    }
  }
}

/** Escapes can spell what a database does not take: U+0000 and halves of surrogate pairs. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}
