/** Words in any language, and how far texts share them. */
import { normalized } from '../../platform/normalize.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text, in lower case. */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(normalized(text, 'NFKC')))
    if (isWordLike) words.push(segment.toLowerCase())
  return words
}

/** A word without plural and possessive endings; short words are left alone, because too little of them would remain. */
function stem(word: string): string {
  return word.length > 3 ? word.replace(/(['’]s|es|s)$/, '') : word
}

/** How often a phrase occurs, singular and plural alike, and after how many words it occurs first. */
export function mentions(text: string, phrase: string): { count: number; first: number | undefined } {
  const haystack = wordsOf(text).map(stem)
  const needle = wordsOf(phrase).map(stem)
  if (needle.length === 0) return { count: 0, first: undefined }
  let count = 0
  let first: number | undefined
  for (let at = 0; at + needle.length <= haystack.length; at += 1) {
    if (!needle.every((word, index) => word === haystack[at + index])) continue
    first ??= at
    count += 1
    at += needle.length - 1
  }
  return { count, first }
}

/** The share of `part`'s words that occur in `whole`, from 0 to 1. Words of up to three Latin letters do not count. */
export function overlap(part: string, whole: string): number {
  const telling = new Set(
    wordsOf(part)
      .filter((word) => word.length > 3 || /[^\p{Script=Latin}]/u.test(word))
      .map(root),
  )
  if (telling.size === 0) return 1
  const present = new Set(wordsOf(whole).map(root))
  return [...telling].filter((word) => present.has(word)).length / telling.size
}

/** A crude stem on purpose: "watering", "watered" and "waters" are the same, in most languages with endings. */
function root(word: string): string {
  return stem(word).slice(0, 5)
}

/** A text cut at a word's end to at most `max` characters, including an ellipsis if something was cut. */
export function shorten(text: string, max: number): string {
  const whole = text.trim()
  if ([...whole].length <= max) return whole
  const cut = [...whole].slice(0, max - 1).join('')
  const end = cut.search(/[\s\p{P}]+[^\s\p{P}]*$/u)
  return `${(end > max / 2 ? cut.slice(0, end) : cut).trimEnd()}…`
}
