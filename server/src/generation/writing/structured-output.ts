/** Answers of a model: texts, and objects of a given shape. They are saved by name, so each question is put once. */

import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { type JsonSchema, ModelError } from '../model/model.ts'
import { data } from './prompts.ts'

/** The progress of a draft. `part` of `parts` while sections are written; `done` is from 0 to 1. */
export type Progress = {
  step: 'outline' | 'sections' | 'faq' | 'details' | 'saving'
  done: number
  part?: number
  parts?: number
}

/** A question to the model; `words` is the approximate length of the answer. */
export type Inquiry = { prompt: string; words: number; shape?: { name: string; schema: JsonSchema } }

/** Asks the model, or returns the answer saved under this name. Throws ModelError. */
export type Ask = (name: string, inquiry: Inquiry, progress: Progress) => Promise<string>

/** The shape of an answer: `wire` for servers that enforce it, `read` for tolerant parsing, `example` for the prompt. */
export type Shape<T> = { name: string; wire: z.ZodType; read: z.ZodType<T, unknown>; example: unknown }

/** Lists what is wrong with a readable answer, one line each, for the model. */
export type Examine<T> = (value: T) => string[]

const TRIES = 3
/** How much of a wrong answer the model is shown, with the complaints, so that a runaway one does not fill the prompt. */
const SHOWN_CHARACTERS = 6_000

/**
 * Asks for an object. If the answer is unreadable or wrong, asks again with the complaints, up to three times in all under the
 * names `name`, `name~2` and `name~3`; then takes the readable answer with the fewest complaints. Throws ModelError `unusable`
 * when none was readable.
 */
export async function askForObject<T>(
  ask: Ask,
  name: string,
  { prompt, words, progress }: { prompt: string; words: number; progress: Progress },
  shape: Shape<T>,
  examine: Examine<T> = () => [],
): Promise<T> {
  const { name: shapeName, wire, read, example } = shape
  const request = `${prompt}\n\nAnswer with JSON alone, in exactly this form:\n${JSON.stringify(example)}`
  const schema = toJsonSchema(wire)
  let best: { value: T; complaints: number } | undefined
  let more = ''
  for (let round = 1; round <= TRIES; round += 1) {
    const inquiry = { prompt: request + more, words, shape: { name: shapeName, schema } }
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
 * The object in a text: the whole text, or inside a fence, or between remarks. Repairs common mistakes of models, and unwraps an
 * object of one field. Undefined when there is no object of this shape.
 */
function readObject<T>(text: string, read: z.ZodType<T, unknown>): T | undefined {
  const fenced = /```[a-z]*[ \t\r]*\n([\s\S]*?)```/i.exec(text)?.[1]
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

/** Removes what JSON escapes can contain but a database cannot store: U+0000 and lone surrogates. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}
