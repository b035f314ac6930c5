/** The kind of article a topic asks for, and that kind's sections. It knows English patterns; anything else is a guide. */

import { shorten } from '../writing/words.ts'
import { argument } from './kinds/argument.ts'
import { comparison } from './kinds/comparison.ts'
import { explanation } from './kinds/explanation.ts'
import { guide } from './kinds/guide.ts'
import { howTo } from './kinds/how-to.ts'
import { list } from './kinds/list.ts'
import { question } from './kinds/question.ts'
import type { PlanSection } from './plan-section.ts'

/** A kind of article. `subject` is the topic without the words that identify the kind. */
export type Kind = { name: string; intent: string; subject: string; sections: PlanSection[] }

type Recipe = {
  name: string
  intent: string
  pattern: RegExp
  sections: (match: RegExpMatchArray) => PlanSection[]
  subject: (match: RegExpMatchArray) => string
}

/** The kind of a topic: the first one whose pattern matches. */
export function kindOf(topic: string): Kind {
  const plain = shorten(
    topic
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replace(/[?.!:]+$/, ''),
    LONGEST_SUBJECT,
  )
  for (const { name, intent, pattern, sections, subject } of RECIPES) {
    const match = plain.match(pattern)
    if (match !== null) return { name, intent, subject: subject(match).trim(), sections: sections(match) }
  }
  return {
    name: 'guide',
    intent: 'wants to understand a subject well enough to decide or to begin',
    subject: plain,
    sections: guide(),
  }
}

/** The subject is cut to this length, because headings contain it. */
const LONGEST_SUBJECT = 80

const last = (match: RegExpMatchArray) => match.at(-1) ?? match[0]

const CHOOSING = 'has to choose between two things and wants to know which fits their case'

const RECIPES: readonly Recipe[] = [
  {
    name: 'comparison',
    intent: CHOOSING,
    pattern: /^(?:the )?(?:differences? between|comparing|comparison of) (.+?) (?:and|or|vs\.?|versus) (.+)$/i,
    subject: ([, a, b]) => `${a} and ${b}`,
    sections: ([, a = '', b = '']) => comparison(a.trim(), b.trim()),
  },
  {
    name: 'comparison',
    intent: CHOOSING,
    pattern: /^(.+?) (?:vs\.?|versus|compared (?:to|with)) (.+)$/i,
    subject: ([, a, b]) => `${a} and ${b}`,
    sections: ([, a = '', b = '']) => comparison(a.trim(), b.trim()),
  },
  {
    name: 'how-to',
    intent: 'has the task in front of them and wants to get it done without a second attempt',
    pattern: /^how (?:to|do (?:you|i|we)|can (?:you|i|we)|should (?:you|i|we)) (.+)$/i,
    subject: last,
    sections: (match) => howTo(last(match)),
  },
  {
    name: 'list',
    intent: 'wants a short list they can trust, with reasons, rather than a search of their own',
    pattern: /^(?:the )?(?:(?:\d+|ten|five|seven|twelve|top)(?: \d+)?|best)(?: best| top)? (.+)$/i,
    subject: last,
    sections: (match) => list(last(match)),
  },
  {
    name: 'argument',
    intent: 'half suspects the answer and wants to see whether the reasons hold',
    pattern: /^(?:why|the case (?:for|against)|in (?:defence|defense) of|stop|don[’']t) (.+)$/i,
    subject: last,
    sections: argument,
  },
  {
    name: 'explanation',
    intent: 'has met a word or a thing and wants to know what it is and whether it concerns them',
    pattern: /^(?:what (?:is|are|does)|understanding|an introduction to|introduction to|the basics of) (.+)$/i,
    subject: last,
    sections: (match) => explanation(last(match)),
  },
  {
    name: 'question',
    intent: 'wants an answer first and the conditions after it',
    pattern: /^(?:is|are|can|could|does|do|should|will|when|where|which|who|how (?:much|many|long|often)|what) .+$/i,
    subject: (match) => match[0],
    sections: question,
  },
]
