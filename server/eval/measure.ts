/** What can be judged of a draft without reading it. */

import type { Brief } from '../src/generation/brief.ts'
import { SHAPES } from '../src/generation/writing/budget.ts'
import { LIMITS } from '../src/generation/writing/details.ts'
import { repeatedSentences } from '../src/generation/writing/report.ts'
import { wordsOf } from '../src/generation/writing/words.ts'
import type { WrittenDraft } from '../src/generation/writing/write-draft.ts'
import { type DocNode, docToText } from '../src/posts/index.ts'

/**
 * `flesch`: reading ease by its English formula, 60 to 70 is plain; `lix`: in any European language, 40 is ordinary, 50
 * difficult. `sentence`: words in a sentence on average.
 */
export type Readability = { flesch: number; lix: number; sentence: number }

/** How easily a text reads. */
export function readability(text: string): Readability {
  const words = wordsOf(text)
  const sentences = Math.max(1, text.split(/[.!?。！？]+(?:\s|$)|\n+/u).filter((one) => wordsOf(one).length > 0).length)
  const perSentence = words.length / sentences
  const syllables = words.reduce((total, word) => total + syllablesOf(word), 0)
  const long = words.filter((word) => [...word].length > 6).length
  const count = Math.max(1, words.length)
  return {
    flesch: Math.round(206.835 - 1.015 * perSentence - 84.6 * (syllables / count)),
    lix: Math.round(perSentence + (100 * long) / count),
    sentence: Math.round(10 * perSentence) / 10,
  }
}

/** Groups of vowels, without a silent e: right for nine of ten English words. */
function syllablesOf(word: string): number {
  const groups = word.replace(/e$/, '').match(/[aeiouyäöüáéíóúàèâêîôû]+/g)
  return Math.max(1, groups?.length ?? 1)
}

/** Headings of a level. */
export function headings(doc: DocNode, level: number): string[] {
  return (doc.content ?? []).flatMap((node) =>
    node.type === 'heading' && node.attrs?.level === level ? [docToText({ type: 'doc', content: [node] })] : [],
  )
}

/** Phrases by which readers know a text that nobody has written. */
const STOCK =
  /\b(in today['’]s (?:fast-paced|digital|modern) (?:world|age|landscape)|when it comes to|it['’]s important to (?:note|remember)|delve|dive into|unlock the|unleash|game[- ]changer|seamless(?:ly)?|ever-evolving|navigat(?:e|ing) the (?:complexities|world)|look no further|in conclusion|at the end of the day|a testament to|tapestry)\b/gi
const OF_ITSELF =
  /\b(in this (?:article|section|post|guide)|as (?:mentioned|discussed) (?:above|earlier)|as an ai|language model|i cannot)\b/gi
const PLACEHOLDER = /\[(?:insert|add|your|name|link)[^\]]*\]|lorem ipsum|\bTODO\b|\{\{|XX+/gi
const LONGEST_PARAGRAPH = 150

/** What is wrong with a finished draft's form, a few words each; empty when nothing is. */
export function formProblems(brief: Brief, draft: WrittenDraft): string[] {
  const { body, faq, slug, seoTitle, description, tags } = draft
  const { sections, questions } = SHAPES[brief.length]
  const content = body.json.content ?? []
  const first = content.findIndex(({ type }) => type === 'heading')
  const opening = wordsOf(docToText({ type: 'doc', content: content.slice(0, Math.max(first, 0)) })).length
  const longest = Math.max(
    0,
    ...content
      .filter(({ type }) => type === 'paragraph')
      .map((node) => wordsOf(docToText({ type: 'doc', content: [node] })).length),
  )
  const size = (text: string) => [...text].length
  const check = (wrong: boolean, problem: string) => (wrong ? [problem] : [])
  return [
    ...check(headings(body.json, 1).length > 0, 'has an h1'),
    ...check(headings(body.json, 2).length < sections[0], `only ${headings(body.json, 2).length} sections`),
    ...check(jumps(content), 'headings skip a level'),
    ...check(opening < 30, `introduction of ${opening} words`),
    ...check(longest > LONGEST_PARAGRAPH, `paragraph of ${longest} words`),
    ...found(body.text, STOCK, 'stock phrases'),
    ...found(body.text, OF_ITSELF, 'speaks of itself'),
    ...found(body.text, PLACEHOLDER, 'placeholders'),
    ...check(repeatedSentences(body.text).length > 0, `${repeatedSentences(body.text).length} sentences repeated`),
    ...check(/<(?:a|img|iframe) /.test(body.html) && brief.pages.length === 0, 'links or pictures nobody offered'),
    ...check(brief.includeFaq && faq.length < questions, `${faq.length} of ${questions} questions`),
    ...check(
      faq.some(({ answer }) => wordsOf(answer).length < 12 || wordsOf(answer).length > 110),
      'an answer too short or too long',
    ),
    ...check(size(seoTitle) > LIMITS.seoTitle, 'SEO title too long'),
    ...check(
      size(description) < LIMITS.description[0] || size(description) > LIMITS.description[1],
      `description of ${size(description)} characters`,
    ),
    ...check(!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug), 'no usable slug'),
    ...check(tags.length < 3 || tags.length > 6, `${tags.length} tags`),
  ]
}

function found(text: string, pattern: RegExp, name: string): string[] {
  const all = [...new Set([...text.matchAll(pattern)].map(([phrase]) => phrase.toLowerCase()))]
  return all.length === 0 ? [] : [`${name}: ${all.slice(0, 3).join(', ')}`]
}

function jumps(content: readonly DocNode[]): boolean {
  const levels = content.filter(({ type }) => type === 'heading').map(({ attrs }) => Number(attrs?.level))
  return levels.some((level, index) => level > (levels[index - 1] ?? 1) + 1)
}
