/** Divides the words of a draft among its parts. */
import { type Length, TARGET_WORDS } from '../brief.ts'

/** The sections and questions of each length; the questions' words are part of the whole. */
export const SHAPES: Record<Length, { sections: [least: number, most: number]; questions: number; faqWords: number }> =
  {
    short: { sections: [3, 4], questions: 3, faqWords: 150 },
    medium: { sections: [4, 6], questions: 4, faqWords: 240 },
    long: { sections: [6, 8], questions: 5, faqWords: 320 },
  }

const INTRODUCTION = { share: 0.08, least: 60, most: 150 }
const CONCLUSION = { share: 0.07, least: 50, most: 140 }

/**
 * The words of the introduction, of each section by its weight, and of the conclusion. Headings and questions use `taken` words.
 */
export function planWords(length: Length, weights: readonly number[], taken: number): number[] {
  const target = TARGET_WORDS[length]
  const [introduction, conclusion] = [INTRODUCTION, CONCLUSION].map(({ share, least, most }) =>
    Math.round(clamp(target * share, least, most)),
  ) as [number, number] // a pair stays one
  const left = target - taken - introduction - conclusion
  const whole = sum(weights)
  return [introduction, ...weights.map((weight) => Math.round((left * weight) / whole)), conclusion]
}

/** The next part's words: the written parts' surplus or lack is spread over the rest, within bounds. */
export function nextWords(plan: readonly number[], written: readonly number[]): number {
  const rest = plan.slice(written.length)
  const left = sum(plan) - sum(written)
  return Math.round((rest[0] ?? 0) * clamp(left / sum(rest), 0.7, 1.4))
}

/** Whether a part is so short or long that it is revised. */
export function lengthProblem(words: number, wanted: number): 'short' | 'long' | undefined {
  if (words < wanted * 0.85) return 'short'
  return words > wanted * 1.2 ? 'long' : undefined
}

/**
 * How many words to ask for to get `wanted`. A model that keeps giving half of what it is asked for is asked for twice as
 * much. `yields` are the ratios of words given to words asked for, latest last; if they vary, they are ignored.
 */
export function wordsToAskFor(wanted: number, yields: readonly number[]): number {
  const [a = 1, b = 1] = yields.slice(-2)
  const steady = (a < 0.85 && b < 0.85) || (a > 1.18 && b > 1.18)
  return Math.round(steady ? wanted / clamp((a + b) / 2, 0.4, 2.5) : wanted)
}

/** Whether the whole text has the right length, within a tenth. */
export function withinTolerance(words: number, target: number): boolean {
  return Math.abs(words - target) <= target * 0.1
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
