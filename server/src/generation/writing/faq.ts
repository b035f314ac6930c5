/** Questions and answers, for the end of an article and for structured markup. */
import { z } from 'zod'
import { BodyError, countWords, type DocNode } from '../../posts/index.ts'
import type { Brief } from '../brief.ts'
import { ModelError } from '../model/model.ts'
import { plainHeading } from './outline.ts'
import { briefData, data } from './prompts.ts'
import { readPart } from './read-text.ts'
import { type Ask, askForObject, type Progress, type Shape } from './structured-output.ts'
import { overlap } from './words.ts'

/** One question with its answer as plain text: the same words as in the body. */
export type FaqItem = { question: string; answer: string }

/** The questions under their heading. */
export type Faq = { heading: string; items: Array<FaqItem & { nodes: DocNode[] }> }

const MOST_ITEMS = 8

const Item = z.object({ question: z.string(), answer: z.string() })
const read = z.object({ heading: z.string().catch(''), items: z.array(Item).min(1) })

const SHAPE: Shape<z.output<typeof read>> = {
  name: 'faq',
  wire: z.strictObject({ heading: z.string(), items: z.array(z.strictObject(Item.shape)) }),
  read,
  example: { heading: 'Frequently asked questions', items: [{ question: 'question?', answer: 'answer' }] },
}

/** The plan of the questions: how many, and how many words with their answers. */
export type FaqPlan = { questions: number; words: number; headings: string[]; text: string; progress: Progress }

/** Asks for questions that the article leaves open. Throws ModelError. */
export async function writeFaq(ask: Ask, brief: Brief, plan: FaqPlan): Promise<Faq> {
  const { words, progress } = plan
  const inquiry = { prompt: prompt(brief, plan), words, progress }
  const answer = await askForObject(ask, 'faq', inquiry, SHAPE, (value) => complaints(plan, tidy(value, plan)))
  const faq = tidy(answer, plan)
  if (faq.items.length === 0) throw new ModelError('unusable', { detail: 'no usable question' })
  return faq
}

function prompt(brief: Brief, { questions, words, headings, text }: FaqPlan): string {
  const each = Math.round(words / questions) - 10
  return `${briefData(brief)}
${data('article', { headings, beginning: text.slice(0, 1_500) })}

Write ${questions} questions that readers of this article would still ask, with their answers, all together about ${words} words: about ${each} words an answer.
- Questions as people type them, each about something that no heading answers: a special case, a cost, a risk, a comparison, a "how long" or "what if".
- Answer in the first sentence, then the reason or the condition. Plain text, no lists, no links.
- "heading" is what such a part is headed with in the language of the article.`
}

function tidy({ heading, items }: z.output<typeof read>, { headings }: FaqPlan): Faq {
  const kept: Faq['items'] = []
  for (const { question: given, answer } of items) {
    const question = plainHeading(given)
    const nodes = answerNodes(answer, question)
    const known = [...kept.map((item) => item.question), ...headings].some(
      (one) =>
        one.toLowerCase() === question.toLowerCase() || (overlap(question, one) > 0.9 && overlap(one, question) > 0.9),
    )
    if (question !== '' && nodes !== undefined && !known && kept.length < MOST_ITEMS) kept.push({ question, ...nodes })
  }
  return { heading: plainHeading(heading) || 'Frequently asked questions', items: kept }
}

function answerNodes(answer: string, question: string): { nodes: DocNode[]; answer: string } | undefined {
  try {
    const { nodes, text, words } = readPart(answer, question, [])
    return words === 0 ? undefined : { nodes, answer: text }
  } catch (error) {
    if (error instanceof BodyError) return undefined
    throw error
  }
}

/** The number of words of the questions and answers in the body. */
export function faqWords({ heading, items }: Faq): number {
  return countWords([heading, ...items.flatMap(({ question, answer }) => [question, answer])].join('\n'))
}

function complaints({ questions, words: wanted }: FaqPlan, faq: Faq): string[] {
  const words = faqWords(faq)
  const length = words < wanted * 0.7 ? 'longer' : words > wanted * 1.35 ? 'shorter' : undefined
  return [
    ...(faq.items.length < Math.min(questions, 3)
      ? [`It has ${faq.items.length} usable questions; there must be ${questions}, all different.`]
      : []),
    ...(length === undefined
      ? []
      : [`It has ${words} words and should have about ${wanted}: make the answers ${length}.`]),
  ]
}
