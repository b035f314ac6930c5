/** What counting shows about a finished draft. */
import type { Brief } from '../brief.ts'
import { mentions, wordsOf } from './words.ts'

/** Where a keyword appears; `occurrences` in the body, `density` in percent of its words. */
export type KeywordUse = {
  keyword: string
  primary: boolean
  occurrences: number
  density: number
  inTitle: boolean
  inSlug: boolean
  inDescription: boolean
  inIntroduction: boolean
  inHeadings: boolean
}

/** The places searched for keywords. */
export type Places = { title: string; slug: string; description: string; headings: string[]; text: string }

/** These words count as the introduction, which people see first. */
const INTRODUCTION_WORDS = 100
/** Above this density, in percent, a text reads as if made for machines. */
const MOST_DENSITY = 2.5

/** The keywords' places, in the order of the brief. */
export function keywordReport({ keywords }: Pick<Brief, 'keywords'>, places: Places): KeywordUse[] {
  const { title, slug, description, headings, text } = places
  const words = wordsOf(text).length
  return keywords.map((keyword, index) => {
    const { count, first } = mentions(text, keyword)
    const has = (place: string) => mentions(place, keyword).count > 0
    return {
      keyword,
      primary: index === 0,
      occurrences: count,
      density: words === 0 ? 0 : Math.round((1000 * count * wordsOf(keyword).length) / words) / 10,
      inTitle: has(title),
      inSlug: has(slug.replaceAll('-', ' ')),
      inDescription: has(description),
      inIntroduction: first !== undefined && first < INTRODUCTION_WORDS,
      inHeadings: headings.some(has),
    }
  })
}

/** What the author should check before publishing, because of keywords. */
export function keywordWarnings(uses: readonly KeywordUse[]): string[] {
  const unused = uses.filter(({ occurrences }) => occurrences === 0).map(({ keyword }) => `“${keyword}”`)
  const stuffed = uses.filter(({ density }) => density > MOST_DENSITY)
  const main = uses.find(({ primary, occurrences }) => primary && occurrences > 0)
  const missing = main === undefined ? [] : placesWithout(main)
  return [
    ...(unused.length > 0 ? [`The text does not contain ${unused.join(', ')}.`] : []),
    ...(main !== undefined && missing.length > 0
      ? [`The main keyword “${main.keyword}” is missing from ${missing.join(', ')}.`]
      : []),
    ...stuffed.map(({ keyword, density }) => `“${keyword}” makes up ${density} % of the words: use it less.`),
  ]
}

function placesWithout({ inTitle, inDescription, inIntroduction, inHeadings }: KeywordUse): string[] {
  return [
    ...(inTitle ? [] : ['the title']),
    ...(inIntroduction ? [] : ['the first 100 words']),
    ...(inHeadings ? [] : ['the headings']),
    ...(inDescription ? [] : ['the meta description']),
  ]
}

/** Figures that models most often get wrong: percentages, sums of money, years, large numbers. */
const FIGURE =
  /(?:[$€£¥]\s?\d(?:[\d.,]*\d)?|\b\d[\d.,]{0,30}\s?(?:%|percent\b|per cent\b|Prozent\b|million\b|billion\b|euros?\b|dollars?\b|USD\b|EUR\b)|\b(?:19|20)\d{2}\b)/giu
const SHOWN_FIGURES = 6

/** The figures in a text that the author should check. */
export function figuresToCheck(text: string): string[] {
  return [...new Set([...text.matchAll(FIGURE)].map(([figure]) => figure.trim()))]
}

/** A warning that lists these figures, if there are any. */
export function figureWarning(text: string): string[] {
  const figures = figuresToCheck(text)
  if (figures.length === 0) return []
  const more = figures.length > SHOWN_FIGURES ? ` and ${figures.length - SHOWN_FIGURES} more` : ''
  return [`Check the figures before you publish: ${figures.slice(0, SHOWN_FIGURES).join(', ')}${more}.`]
}

const LEAST_SENTENCE_WORDS = 8

/** Sentences that a text contains more than once. */
export function repeatedSentences(text: string): string[] {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const sentence of text.split(/(?<=[.!?。！？])\s+|\n+/u)) {
    const words = wordsOf(sentence)
    if (words.length < LEAST_SENTENCE_WORDS) continue
    const key = words.join(' ')
    if (seen.has(key)) repeated.add(sentence.trim())
    seen.add(key)
  }
  return [...repeated]
}
