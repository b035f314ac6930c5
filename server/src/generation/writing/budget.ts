/** How the words of a draft are shared out. Decisions only. */
import { type Length, TARGET_WORDS } from '../brief.ts'

/** How many sections a length wants, and what it has for questions; their words are part of the whole. */
export const SHAPES: Record<Length, { sections: [least: number, most: number]; questions: number; faqWords: number }> =
  {
    short: { sections: [3, 4], questions: 3, faqWords: 150 },
    medium: { sections: [4, 6], questions: 4, faqWords: 240 },
    long: { sections: [6, 8], questions: 5, faqWords: 320 },
  }

const INTRODUCTION = { share: 0.08, least: 60, most: 150 }
const CONCLUSION = { share: 0.07, least: 50, most: 140 }

/**
 * Words for the introduction, each section by its weight, and the conclusion. `taken`: what headings and questions use up.
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

/** What the next part should have, given those written: what they have too much or too little is spread over the rest. */
export function nextWords(plan: readonly number[], written: readonly number[]): number {
  const rest = plan.slice(written.length)
  const left = sum(plan) - sum(written)
  return Math.round((rest[0] ?? 0) * clamp(left / sum(rest), 0.7, 1.4))
}

/** Above and below this a part is revised. */
export function lengthProblem(words: number, wanted: number): 'short' | 'long' | undefined {
  if (words < wanted * 0.85) return 'short'
  return words > wanted * 1.2 ? 'long' : undefined
}

/**
 * How many words to ask for to get `wanted`. A model that keeps giving half of what it is asked for is asked for twice as
 * much. `yields` are what it gave for what it was asked, latest last; one that varies is taken at its word.
 */
export function wordsToAskFor(wanted: number, yields: readonly number[]): number {
  const [a = 1, b = 1] = yields.slice(-2)
  const steady = (a < 0.85 && b < 0.85) || (a > 1.18 && b > 1.18)
  return Math.round(steady ? wanted / clamp((a + b) / 2, 0.4, 2.5) : wanted)
}

/** Whether a whole is as long as it should be. */
export function withinTolerance(words: number, target: number): boolean {
  return Math.abs(words - target) <= target * 0.1
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
