/** The plan of an article: what each section says, and which section has which keywords. */
import { z } from 'zod'
import { type Brief, TARGET_WORDS } from '../brief.ts'
import { ModelError } from '../model/model.ts'
import { SHAPES } from './budget.ts'
import { briefData } from './prompts.ts'
import { type Ask, askForObject, type Shape } from './structured-output.ts'
import { mentions, overlap } from './words.ts'

/** A planned section; `weight` compares its length with the others'. */
export type PlannedSection = { heading: string; points: string[]; keywords: string[]; weight: number }

/** A planned article. */
export type Outline = {
  title: string
  introduction: string[]
  sections: PlannedSection[]
  conclusion: { heading: string; points: string[] }
}

/** With fewer sections there is no article to write. */
const FEWEST_SECTIONS = 2
const MOST_POINTS = 6
const LONGEST_HEADING = 120
/** How much of what a model gave as a heading is looked at. */
const MOST_READ = 1_000

const wire = z.strictObject({
  title: z.string(),
  introduction: z.array(z.string()),
  sections: z.array(
    z.strictObject({
      heading: z.string(),
      points: z.array(z.string()),
      keywords: z.array(z.string()),
      weight: z.number(),
    }),
  ),
  conclusion: z.strictObject({ heading: z.string(), points: z.array(z.string()) }),
})

const line = z.string().transform(plainHeading)
const lines = z
  .union([z.array(z.string()), z.string().transform((text) => [text])])
  .catch([])
  .transform((all) => all.map((text) => text.trim()).filter((text) => text !== ''))

const read = z.object({
  title: line.catch(''),
  introduction: lines,
  sections: z.array(
    z.object({
      heading: line,
      points: lines.transform((all) => all.slice(0, MOST_POINTS)),
      keywords: lines,
      weight: z.coerce.number().min(0.5).max(3).catch(1),
    }),
  ),
  conclusion: z.object({ heading: line.catch(''), points: lines }).catch({ heading: '', points: [] }),
})

const SHAPE: Shape<Outline> = {
  name: 'outline',
  wire,
  read,
  example: {
    title: 'working title',
    introduction: ['what the opening says'],
    sections: [{ heading: 'heading', points: ['point', 'point', 'point'], keywords: ['keyword'], weight: 1 }],
    conclusion: { heading: 'heading', points: ['what the reader does next'] },
  },
}

/** Plans the article. Every keyword of the brief belongs to exactly one section; the model can add none. */
export async function planOutline(ask: Ask, brief: Brief): Promise<Outline> {
  const inquiry = { prompt: prompt(brief), words: 350, progress: { step: 'outline', done: 0 } as const }
  const answer = await askForObject(ask, 'outline', inquiry, SHAPE, (value) => complaints(brief, tidy(brief, value)))
  const outline = tidy(brief, answer)
  if (outline.sections.length < FEWEST_SECTIONS)
    throw new ModelError('unusable', { detail: 'the outline has no sections' })
  const { conclusion } = outline
  return assignKeywords(brief, {
    ...outline,
    conclusion: { ...conclusion, heading: conclusion.heading || 'What to do next' },
  })
}

function prompt(brief: Brief): string {
  const [least, most] = SHAPES[brief.length].sections
  const [primary] = brief.keywords
  return `${briefData(brief)}

Plan an article of about ${TARGET_WORDS[brief.length]} words on the topic of the brief.

First decide for whom it is and which question brings them: the plan answers that question better than what they have read elsewhere. Choose an angle of your own if the topic leaves one open.

- An introduction, ${least} to ${most} sections and a conclusion${brief.includeFaq ? ' (questions and answers follow separately, so leave them out)' : ''}.
- Each section has a ground of its own; together they go from what the reader needs first to what builds on it.
- Headings are specific and say what the section gives, in at most 60 characters; not numbered, and none is just "Introduction", "Overview" or "Conclusion".
- For each section 3 to 5 points. A point is something to say (a claim with its reason, a step, a distinction, an example to work through), not a subject to touch on.
- "weight" is 1 for a section of ordinary length, up to 2 for one that needs more.${
    primary === undefined
      ? '\n- "keywords" stay empty lists.'
      : `
- Put every keyword of the brief, as it is written there, into the "keywords" of the one section where it fits best.
- The main keyword stands word for word in the heading of at least one section, if that reads naturally.`
  }
- The conclusion says what the reader does next; it does not sum up.`
}

/** Drops sections that exist separately (introduction, conclusion, FAQ), repeated headings, and sections beyond the length's maximum. */
function tidy({ length }: Brief, outline: Outline): Outline {
  const seen = new Set<string>()
  const sections = outline.sections.filter(({ heading }) => {
    const key = heading.toLowerCase()
    if (
      heading === '' ||
      seen.has(key) ||
      /^(introduction|conclusion|overview|summary|faq|frequently asked questions)$/.test(key)
    )
      return false
    return seen.add(key)
  })
  return { ...outline, sections: sections.slice(0, SHAPES[length].sections[1]) }
}

function complaints({ length, keywords }: Brief, { sections, conclusion }: Outline): string[] {
  const [least, most] = SHAPES[length].sections
  const [primary] = keywords
  return [
    ...(sections.length < least
      ? [`It has ${sections.length} usable sections; there must be ${least} to ${most}.`]
      : []),
    ...sections
      .filter(({ points }) => points.length < 2)
      .map(({ heading }) => `The section "${heading}" needs 3 to 5 points.`),
    ...(conclusion.heading === '' ? ['The conclusion needs a heading.'] : []),
    ...(primary !== undefined && !sections.some(({ heading }) => mentions(heading, primary).count > 0)
      ? [`No heading contains the main keyword "${primary}".`]
      : []),
  ]
}

/** Gives every keyword to exactly one section: the planned one, else the best fit, else one with the fewest keywords. */
function assignKeywords({ keywords }: Brief, outline: Outline): Outline {
  const assigned = outline.sections.map((section) => ({ ...section, keywords: [] as string[] }))
  for (const keyword of keywords) {
    const planned = outline.sections.findIndex((section) =>
      section.keywords.some((one) => one.toLowerCase() === keyword.toLowerCase()),
    )
    const fits = outline.sections.map(({ heading, points }) => overlap(keyword, [heading, ...points].join(' ')))
    const best = Math.max(...fits)
    const fewest = Math.min(...assigned.map((section) => section.keywords.length))
    const index =
      planned >= 0
        ? planned
        : best > 0.5
          ? fits.indexOf(best)
          : assigned.findIndex((section) => section.keywords.length === fewest)
    assigned[index]?.keywords.push(keyword)
  }
  return { ...outline, sections: assigned }
}

/** A heading as plain text: no markup, number, label or final punctuation. */
export function plainHeading(text: string): string {
  const plain = text
    .replaceAll(/\s+/g, ' ')
    .slice(0, MOST_READ)
    .replace(/^ ?#+ /, '')
    .replaceAll(/\*\*|__|`/g, '')
    .replaceAll(/^[ *_]+|[ *_]+$/g, '')
    .replace(/^(?:(?:section|part|chapter)\s+)?\d{1,2} ?[.):–—-] /i, '')
    .trim()
    .replace(/[.:]$/, '')
  return [...plain].slice(0, LONGEST_HEADING).join('')
}
