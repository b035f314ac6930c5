/**
 * Stands in for a language model: understands the questions that drafts are made of and answers them as a willing model
 * would, with as many words as were asked for. It writes nonsense made of real words, always the same for the same question.
 */
import { createHash } from 'node:crypto'
import { randomFrom } from './random.ts'

/** What a question is for. */
export type Purpose = 'outline' | 'first' | 'revision' | 'faq' | 'details' | 'other'

/** A question as the author understands it. `words`: how many are asked for. */
export type Understood = { purpose: Purpose; words: number; data: Record<string, unknown>; prompt: string }

/** How this author departs from a willing one. `words` is told what was asked for and whether it is a revision. */
export type Habits = { words?: (asked: number, question: Understood) => number }

const PURPOSES: ReadonlyArray<[RegExp, Purpose]> = [
  [/Plan an article of about/, 'outline'],
  [/Revise the text of this section/, 'revision'],
  [/Write the (introduction|text under the heading)/, 'first'],
  [/Write \d+ questions/, 'faq'],
  [/Write what surrounds this article/, 'details'],
]

/** Reads a question. */
export function understand(prompt: string): Understood {
  const data: Record<string, unknown> = {}
  for (const [, tag = '', json = ''] of prompt.matchAll(/<(\w+)>(.*?)<\/\1>/gs)) data[tag] = JSON.parse(json)
  const words = Number(/about (\d+) words/.exec(prompt.replaceAll(/<(\w+)>.*?<\/\1>/gs, ''))?.[1] ?? 0)
  const purpose = PURPOSES.find(([pattern]) => pattern.test(prompt))?.[1] ?? 'other'
  return { purpose, words, data, prompt }
}

/** Answers a question. */
export function answer(question: Understood, { words = (asked) => asked }: Habits = {}): string {
  const brief = (question.data.brief ?? {}) as Brief
  const random = randomFrom(Number.parseInt(createHash('sha256').update(question.prompt).digest('hex').slice(0, 8), 16))
  switch (question.purpose) {
    case 'outline':
      return JSON.stringify(outline(brief, question.words, random))
    case 'first':
    case 'revision':
      return prose((question.data.section ?? {}) as Section, Math.round(words(question.words, question)), random)
    case 'faq':
      return JSON.stringify(faq(question, random))
    case 'details':
      return JSON.stringify(details(brief))
    default:
      return 'ready'
  }
}

type Brief = { topic: string; main_keyword?: string; other_keywords?: string[] }
type Section = {
  heading: string
  points: string[]
  keywords?: string[]
  pages?: Array<{ title: string; url: string }>
}
type Random = () => number

const VOCABULARY =
  `water soil root leaf morning evening bucket hose garden bed pot shade summer rain drought mulch straw compost bark
finger surface depth litre minute habit reason sign patch stem fruit flower skin crack rot balance pressure flow meter timer line
tube valve corner fence wall path stone gravel clay sand loam heat wind sun cloud week month season plan note record scale
neighbour morning kitchen window sill tray saucer layer edge middle bottom weight colour smell touch sound sight`.split(
    /\s+/,
  )
const VERBS =
  'holds carries loses needs keeps moves changes shows tells costs saves fills drains cools warms feeds'.split(' ')

function pick(list: readonly string[], random: Random): string {
  return list[Math.floor(random() * list.length)] ?? ''
}

function sentence(words: number, random: Random): string {
  const parts = ['the', pick(VOCABULARY, random), pick(VERBS, random), 'the', pick(VOCABULARY, random)]
  while (parts.length < words)
    parts.push(pick(['near', 'under', 'after', 'before', 'with'], random), 'the', pick(VOCABULARY, random))
  return `${capital(parts.slice(0, words).join(' '))}.`
}

function outline({ topic, main_keyword: main, other_keywords: others = [] }: Brief, words: number, random: Random) {
  const count = words < 1_000 ? 3 : words < 2_000 ? 5 : 7
  const keywords = main === undefined ? [] : [main, ...others]
  const sections = Array.from({ length: count }, (_, index) => ({
    heading:
      index === 0 && main !== undefined
        ? `${capital(main)} from the ground up`
        : capital(`${pick(VOCABULARY, random)} and ${pick(VOCABULARY, random)} ${index + 1}`),
    points: Array.from({ length: 3 }, () => sentence(6, random).toLowerCase().replace('.', '')),
    keywords: keywords.filter((_, at) => at % count === index),
    weight: 1 + (index % 2) / 2,
  }))
  return {
    title: capital(topic),
    introduction: ['what brings the reader here', 'what they will know'],
    sections,
    conclusion: { heading: 'Begin this evening', points: ['take the first step'] },
  }
}

/** As many words as asked for, with the points, the keywords and a page that was offered. */
function prose({ points, keywords = [], pages = [] }: Section, words: number, random: Random): string {
  const [page] = pages
  const opening = [
    ...keywords.map((keyword) => `It begins with ${keyword}.`),
    ...(page === undefined ? [] : [`More on [${page.title}](${page.url}) elsewhere.`]),
    ...points.map((point) => `${capital(point)}.`),
  ]
  const text: string[] = []
  let left = words
  for (const one of opening) {
    const size = one.replaceAll(/\]\([^)]*\)/g, ']').split(/\s+/).length
    if (size > left) break
    text.push(one)
    left -= size
  }
  while (left > 0) {
    const size = left < 20 ? left : 8 + Math.floor(random() * 8)
    text.push(
      left < 6
        ? `${capital(Array.from({ length: left }, () => pick(VOCABULARY, random)).join(' '))}.`
        : sentence(size, random),
    )
    left -= size
  }
  const paragraphs = Array.from({ length: Math.ceil(text.length / 4) }, (_, index) =>
    text.slice(4 * index, 4 * index + 4).join(' '),
  )
  return paragraphs.join('\n\n')
}

function faq({ words, prompt }: Understood, random: Random) {
  const count = Number(/Write (\d+) questions/.exec(prompt)?.[1] ?? 3)
  const each = Math.max(10, Math.round(words / count) - 10)
  return {
    heading: 'Questions and answers',
    items: Array.from({ length: count }, (_, index) => ({
      question: `${capital(pick(VOCABULARY, random))} ${pick(VERBS, random)} which ${pick(VOCABULARY, random)} number ${index + 1}?`,
      answer: prose({ heading: '', points: [] }, each, random).replaceAll('\n\n', ' '),
    })),
  }
}

function details({ topic, main_keyword: main }: Brief) {
  const subject = main ?? topic
  return {
    title: `${capital(subject)}: a plain account`.slice(0, 70),
    seo_title: capital(subject).slice(0, 60),
    slug: subject,
    description:
      `${capital(subject)} explained from the first step to the last, with the mistakes that cost most and how to see in time that something is wrong.`.slice(
        0,
        158,
      ),
    excerpt: `What to know about ${subject}, in order.`,
    tags: ['garden', 'water', 'summer'],
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
