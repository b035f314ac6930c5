/**
 * Writes an article: outline, parts, questions, details. Every question goes through `ask`, under a name that is the same in
 * every run; everything else follows from the answers alone. So an interrupted run is continued by running it again with the
 * saved answers.
 */
import { BodyError, type ConvertedBody, convertBody, countWords, type DocNode } from '../../posts/index.ts'
import { type Brief, TARGET_WORDS } from '../brief.ts'
import { ModelError } from '../model/model.ts'
import { planWords, SHAPES, withinTolerance } from './budget.ts'
import { type Details, writeDetails } from './details.ts'
import { type Faq, type FaqItem, faqWords, writeFaq } from './faq.ts'
import { type Outline, planOutline } from './outline.ts'
import { figureWarning, type KeywordUse, keywordReport, keywordWarnings, repeatedSentences } from './report.ts'
import { adjustLength, type Manuscript, type Part, type WrittenPart, writeParts } from './sections.ts'
import type { Ask, Progress } from './structured-output.ts'

/** A finished draft. `words` counts the body's words. */
export type WrittenDraft = Details & {
  body: ConvertedBody
  words: number
  faq: FaqItem[]
  keywords: KeywordUse[]
  warnings: string[]
}

/** The progress when each step begins, estimated from the number of words in each. */
const BEGINS = { sections: 0.08, faq: 0.82, details: 0.93, saving: 0.99 }

/** Writes the article of a brief. Throws ModelError. */
export async function writeDraft(brief: Brief, ask: Ask): Promise<WrittenDraft> {
  const target = TARGET_WORDS[brief.length]
  const { questions, faqWords: plannedFaq } = SHAPES[brief.length]
  const outline = await planOutline(ask, brief)
  const headings = headingsOf(outline)
  const headingWords = countWords(headings.join('\n'))
  const reserve = brief.includeFaq ? plannedFaq : 0
  const parts = partsOf(brief, outline, headingWords + reserve)
  const manuscript: Manuscript = { ask, brief, parts, written: [], yields: [], progress: sectionProgress(parts) }
  await writeParts(manuscript)

  let faq: Faq | undefined
  if (brief.includeFaq) {
    const left = target - headingWords - wordsIn(manuscript.written)
    const words = Math.round(Math.min(plannedFaq * 1.5, Math.max(plannedFaq * 0.6, left)))
    const text = manuscript.written.map(({ text }) => text.text).join('\n')
    faq = await writeFaq(ask, brief, { questions, words, headings, text, progress: { step: 'faq', done: BEGINS.faq } })
  }
  await adjustLength(manuscript, target, headingWords + (faq === undefined ? 0 : faqWords(faq)))

  const details = await writeDetails(ask, brief, {
    workingTitle: outline.title,
    headings,
    introduction: manuscript.written[0]?.text.text ?? '',
    progress: { step: 'details', done: BEGINS.details },
  })
  return finish(brief, manuscript.written, faq, details)
}

function headingsOf({ sections, conclusion }: Outline): string[] {
  return [...sections.map(({ heading }) => heading), conclusion.heading]
}

function partsOf(brief: Brief, outline: Outline, taken: number): Part[] {
  const { introduction, sections, conclusion } = outline
  const words = planWords(
    brief.length,
    sections.map(({ weight }) => weight),
    taken,
  )
  const parts = [
    { key: 'introduction', heading: '', points: introduction, keywords: brief.keywords.slice(0, 1) },
    ...sections.map(({ heading, points, keywords }, index) => ({
      key: `section-${index + 1}`,
      heading,
      points,
      keywords,
    })),
    { key: 'conclusion', ...conclusion, keywords: [] },
  ]
  return parts.map((part, index) => ({ ...part, words: words[index] ?? 0 }))
}

function sectionProgress(parts: readonly Part[]): (partsDone: number) => Progress {
  return (partsDone) => {
    const part = Math.min(partsDone + 1, parts.length)
    const done = BEGINS.sections + ((BEGINS.faq - BEGINS.sections) * Math.min(partsDone, parts.length)) / parts.length
    return { step: 'sections', done, part, parts: parts.length }
  }
}

function wordsIn(written: readonly WrittenPart[]): number {
  return written.reduce((total, { text }) => total + text.words, 0)
}

function finish(brief: Brief, written: readonly WrittenPart[], faq: Faq | undefined, details: Details): WrittenDraft {
  const heading = (level: number, text: string): DocNode => ({
    type: 'heading',
    attrs: { level },
    content: [{ type: 'text', text }],
  })
  const content: DocNode[] = written.flatMap(({ heading: title, text }) => [
    ...(title === '' ? [] : [heading(2, title)]),
    ...text.nodes,
  ])
  if (faq !== undefined) {
    content.push(heading(2, faq.heading))
    for (const { question, nodes } of faq.items) content.push(heading(3, question), ...nodes)
  }
  const body = bodyOf({ type: 'doc', content })
  const headings = written.flatMap((part) => (part.heading === '' ? [] : [part.heading]))
  const keywords = keywordReport(brief, { ...details, headings, text: body.text })
  return {
    ...details,
    body,
    words: body.wordCount,
    faq: faq?.items.map(({ question, answer }) => ({ question, answer })) ?? [],
    keywords,
    warnings: warningsOf(brief, written, body, keywords),
  }
}

/** Converts the whole body: each part fits the bounds of a body, but all together may not. */
function bodyOf(json: DocNode): ConvertedBody {
  try {
    return convertBody({ json })
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    throw new ModelError('unusable', { detail: error.message, cause: error })
  }
}

function warningsOf(
  { length, pages }: Brief,
  written: readonly WrittenPart[],
  { text, wordCount }: ConvertedBody,
  keywords: readonly KeywordUse[],
): string[] {
  const target = TARGET_WORDS[length]
  const dropped = written.reduce((total, part) => total + part.text.dropped, 0)
  const uncertain = pages.filter(
    ({ url, certain }) => !certain && written.some((part) => part.text.links.includes(url)),
  )
  const repeated = repeatedSentences(text)
  return [
    ...(withinTolerance(wordCount, target) ? [] : [`The draft has ${wordCount} words instead of about ${target}.`]),
    ...keywordWarnings(keywords),
    ...figureWarning(text),
    ...(repeated.length > 0 ? [`The draft says this more than once: “${repeated[0]}”`] : []),
    ...(dropped > 0 ? [`Links and pictures that the model made up were removed: ${dropped}.`] : []),
    ...(uncertain.length > 0
      ? [
          `Check where these links lead; their addresses were built from the post’s slug: ${uncertain.map(({ url }) => url).join(', ')}`,
        ]
      : []),
  ]
}
