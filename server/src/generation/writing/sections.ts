/**
 * Writes an article part by part. The question for each part includes what came before it. A part that is too short, too long
 * or without its keywords is revised, at most twice, and the better version stays. Its remaining surplus or lack of words is
 * spread over the parts to come, and at the end over the written parts.
 */

import { BodyError } from '../../posts/index.ts'
import type { Brief, Page } from '../brief.ts'
import { ModelError } from '../model/model.ts'
import { clamp, lengthProblem, nextWords, sum, withinTolerance, wordsToAskFor } from './budget.ts'
import { briefData, data } from './prompts.ts'
import { type PartText, partMarkdown, readPart } from './read-text.ts'
import type { Ask, Progress } from './structured-output.ts'
import { mentions, overlap, wordsOf } from './words.ts'

/** A part to write. The introduction has no heading; `words` is its planned length. */
export type Part = { key: string; heading: string; points: string[]; keywords: string[]; words: number }

/** A part with its text. `rounds`: how often it was asked for. */
export type WrittenPart = Part & { text: PartText; rounds: number }

/** The state of writing. `yields`: the ratios of words given to words asked for, latest last. */
export type Manuscript = {
  ask: Ask
  brief: Brief
  parts: readonly Part[]
  written: WrittenPart[]
  yields: number[]
  progress: (partsDone: number) => Progress
}

const MOST_REVISIONS = 2
/** Adjustments of the whole length, after all parts are written. */
const MOST_ADJUSTMENTS = 3
const MOST_LINKS = 3
const SHOWN_END_WORDS = 80

/** Writes every part, in order. Throws ModelError when the model gives no usable text for one. */
export async function writeParts(manuscript: Manuscript): Promise<void> {
  const { parts, written } = manuscript
  for (const part of parts) {
    const words = nextWords(
      parts.map((one) => one.words),
      written.map(({ text }) => text.words),
    )
    written.push(await writePart(manuscript, part, words))
  }
}

async function writePart(manuscript: Manuscript, part: Part, words: number): Promise<WrittenPart> {
  let current = await askForPart(manuscript, part, 1, words, (requestedWords) =>
    firstPrompt(manuscript, part, requestedWords),
  )
  for (let round = 2; round <= 1 + MOST_REVISIONS && flaws(current, words) > 0; round += 1) {
    const last = current
    const revised = await askForPart(manuscript, part, round, words, (requestedWords) =>
      last.text.words === 0
        ? firstPrompt(manuscript, part, requestedWords)
        : revisionPrompt(manuscript, last, words, requestedWords),
    )
    current = { ...(flaws(revised, words) < flaws(last, words) ? revised : last), rounds: round }
  }
  if (current.text.words === 0) throw new ModelError('unusable', { detail: `no text for ${part.key}` })
  return current
}

/**
 * Brings the whole near its length: while it is off, the part that is farthest off in that direction is revised to make up the
 * difference, three parts at most. `others` are the words that are not in the parts.
 */
export async function adjustLength(manuscript: Manuscript, target: number, others: number): Promise<void> {
  const { written } = manuscript
  const total = () => others + sum(written.map(({ text }) => text.words))
  const untried = new Set(written.keys())
  for (let left = MOST_ADJUSTMENTS; left > 0 && !withinTolerance(total(), target); left -= 1) {
    const missing = target - total()
    const ratio = (index: number) => (written[index]?.text.words ?? 0) / (written[index]?.words ?? 1)
    const [index] = [...untried].toSorted((a, b) => (missing > 0 ? ratio(a) - ratio(b) : ratio(b) - ratio(a)))
    const part = index === undefined ? undefined : written[index]
    if (index === undefined || part === undefined) return
    untried.delete(index)
    const words = Math.round(part.text.words + clamp(missing, -part.text.words / 2, part.text.words))
    const round = part.rounds + 1
    const revised = await askForPart(manuscript, part, round, words, (requestedWords) =>
      revisionPrompt(manuscript, part, words, requestedWords),
    )
    if (Math.abs(revised.text.words - words) < Math.abs(part.text.words - words)) written[index] = revised
  }
}

async function askForPart(
  { ask, brief, written, yields, progress }: Manuscript,
  part: Part,
  round: number,
  words: number,
  promptFor: (requestedWords: number) => string,
): Promise<WrittenPart> {
  const requestedWords = wordsToAskFor(words, yields)
  const name = round === 1 ? part.key : `${part.key}~${round}`
  const answer = await ask(name, { prompt: promptFor(requestedWords), words: requestedWords }, progress(written.length))
  const text = read(answer, part.heading, brief.pages)
  yields.push(text.words / requestedWords)
  return { ...part, text, rounds: round }
}

/** Reads an answer; one that cannot be a body counts as empty, so it is asked for again. */
function read(answer: string, heading: string, pages: readonly Page[]): PartText {
  try {
    return readPart(
      answer,
      heading,
      pages.map(({ url }) => url),
    )
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    return { nodes: [], text: '', words: 0, links: [], dropped: 0 }
  }
}

/** How much is wrong with a part; 0 when it needs no revision. */
function flaws({ text, keywords }: WrittenPart, words: number): number {
  const length =
    lengthProblem(text.words, words) === undefined ? 0 : Math.abs(Math.log(Math.max(text.words, 1) / words))
  return length + 0.3 * missingKeywords(text, keywords).length
}

function missingKeywords({ text }: PartText, keywords: readonly string[]): string[] {
  return keywords.filter((keyword) => mentions(text, keyword).count === 0)
}

function range(words: number): string {
  return `about ${words} words (${Math.round(words * 0.92)} to ${Math.round(words * 1.08)})`
}

function firstPrompt({ brief, parts, written }: Manuscript, part: Part, words: number): string {
  const covered = written.map(({ heading, points }) => ({ heading: heading || 'introduction', points }))
  const end = wordsEnd(written.at(-1)?.text.text ?? '')
  const headings = parts.map(({ heading }) => heading || 'introduction')
  const pages = pagesToOffer(brief, written, part)
  return [
    briefData(brief),
    data('article', headings),
    ...(written.length === 0 ? [] : [data('already_written', { covered, ends_with: end })]),
    data('section', {
      heading: part.heading || 'introduction',
      points: part.points,
      ...(part.keywords.length === 0 ? {} : { keywords: part.keywords }),
      ...(pages.length === 0 ? {} : { pages }),
    }),
    '',
    part.heading === '' ? introductionTask(words) : sectionTask(parts.at(-1)?.key === part.key, words),
    ...(part.keywords.length === 0
      ? []
      : [
          part.heading === ''
            ? '- Use the keyword once, word for word, in the first or second sentence.'
            : '- Use each of the keywords once or twice, word for word, where it reads naturally.',
        ]),
    ...(pages.length === 0
      ? []
      : [
          '- If one of the pages helps the reader at a certain point, link to it there, once: [words of the sentence](its url). Otherwise do not.',
        ]),
    '',
    'Answer with the text alone, in Markdown: no heading above it, no remarks, no count of words.',
  ].join('\n')
}

function introductionTask(words: number): string {
  return `Write the introduction, ${range(words)}.
- Begin in the reader's situation: the question, the decision or the trouble that brought them here, concretely.
- Say what they will know or be able to do at the end, without announcing a table of contents.
- One to three short paragraphs, no lists.`
}

function sectionTask(isLast: boolean, words: number): string {
  const task = `Write the text under the heading of this section, ${range(words)}.
- Say every one of its points, each with its reason, an example or the way to do it; leave the ground of the other headings to them.
- What is already written is known to the reader: connect to its end, repeat none of it.`
  if (isLast)
    return `${task}\n- It is the end of the article: tell the reader what to do next and how to begin. No summary, no good wishes.`
  return words > 260 ? `${task}\n- Where the text turns to another matter, a subheading (###) may stand.` : task
}

function revisionPrompt(
  { brief, parts }: Manuscript,
  part: WrittenPart,
  words: number,
  requestedWords: number,
): string {
  const { text, heading, points, keywords } = part
  const problem = lengthProblem(text.words, words) ?? slightProblem(text.words, words)
  const uncovered = problem === 'short' ? points.filter((point) => overlap(point, text.text) < 0.5) : []
  const missing = missingKeywords(text, keywords)
  const headings = parts.map((one) => one.heading || 'introduction')
  return [
    briefData(brief),
    data('article', headings),
    data('section', {
      heading: heading || 'introduction',
      points,
      ...(keywords.length === 0 ? {} : { keywords }),
      ...(uncovered.length === 0 ? {} : { hardly_covered: uncovered }),
      ...(missing.length === 0 ? {} : { missing_keywords: missing }),
    }),
    data('text', partMarkdown(text)),
    '',
    `Revise the text of this section. It has ${text.words} words; it should have ${range(requestedWords)}.`,
    ...(problem === undefined ? [] : [LENGTH_ADVICE[uncovered.length > 0 ? 'uncovered' : problem]]),
    ...(missing.length === 0
      ? []
      : ['- It must contain each of the missing keywords, word for word, in a sentence that reads naturally.']),
    '- Keep what is good as it is, with its keywords and links.',
    '',
    'Answer with the whole revised text alone, in Markdown: no heading above it, no remarks, no count of words.',
  ].join('\n')
}

const LENGTH_ADVICE = {
  uncovered: '- Too short: add what is missing, first of all the points that are hardly covered.',
  short:
    '- Too short: add substance, such as an example worked through, a reason, an exception or the way to do it. No padding.',
  long: '- Too long: cut repetition, asides and the weaker examples. Every point stays.',
}

/** A smaller length problem: a part that makes up for others need not have a wrong length itself. */
function slightProblem(words: number, wanted: number): 'short' | 'long' | undefined {
  if (Math.abs(words - wanted) < wanted * 0.05) return undefined
  return words < wanted ? 'short' : 'long'
}

/** The pages that no part links to yet; none for the introduction. */
function pagesToOffer(
  { pages }: Brief,
  written: readonly WrittenPart[],
  { heading }: Part,
): Array<{ title: string; url: string }> {
  const used = new Set(written.flatMap(({ text }) => text.links))
  if (heading === '' || used.size >= MOST_LINKS) return []
  return pages.filter(({ url }) => !used.has(url)).map(({ title, url }) => ({ title, url }))
}

/** The last words of a text, from the start of a sentence if possible. */
function wordsEnd(text: string): string {
  if (wordsOf(text).length <= SHOWN_END_WORDS) return text
  const end = text.slice(-SHOWN_END_WORDS * 7)
  const sentence = end.search(/(?<=[.!?。！？]\s)\S/u)
  return sentence > 0 ? end.slice(sentence) : end
}
