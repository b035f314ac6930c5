/**
 * The outline writer, used when no model is configured. It makes a plan to write from (sections with their content, word
 * budgets, the reader's questions, places for the keywords, fields for search engines) and labels it as an outline. It writes
 * no sentence that could pass for the article. The same brief always gives the same outline.
 */
import { convertBody, type DocNode, slugify } from '../../posts/index.ts'
import { type Brief, TARGET_WORDS, type Tone } from '../brief.ts'
import { planWords, SHAPES } from '../writing/budget.ts'
import { LIMITS } from '../writing/details.ts'
import { keywordReport } from '../writing/report.ts'
import { mentions, overlap, shorten } from '../writing/words.ts'
import type { WrittenDraft } from '../writing/write-draft.ts'
import { bullets, heading, paragraph, quote, type Run, table, tasks } from './blocks.ts'
import { capital } from './capital.ts'
import { type Kind, kindOf } from './kinds.ts'
import { ASIDES, aboutWords, BEGINNINGS, LABEL } from './notes.ts'
import type { PlanSection } from './plan-section.ts'
import { ENDINGS, OPENINGS, REMINDERS, TONE_SECTIONS } from './tones.ts'

/** The generator that jobs name. */
export const OUTLINE_WRITER = 'outline'

const SECTIONS = { short: 4, medium: 6, long: 8 } as const
const NOTES = { short: 2, medium: 3, long: 4 } as const
const QUESTIONS = { short: 1, medium: 2, long: 3 } as const
const LEVEL = { short: 1, medium: 2, long: 3 } as const
const HEADING_WORDS = 6

/** A section with its keywords and its number of words. */
type Planned = PlanSection & { keywords: string[]; words: number }

/** Makes the outline of a brief. */
export function writeOutline(brief: Brief): WrittenDraft {
  const kind = kindOf(brief.topic)
  const title = shorten(capital(brief.topic.trim()), LIMITS.title)
  const { sections, introduction, conclusion } = plan(brief, kind)
  const description = describe(title, sections)
  const content = [
    label(brief),
    ...beforeWriting(brief, kind),
    heading(2, 'Introduction'),
    paragraph({ text: aboutWords(introduction), mark: 'italic' }, OPENINGS[brief.tone]),
    ...sections.flatMap((section) => sectionBlocks(brief, section)),
    heading(2, 'Conclusion'),
    paragraph({ text: aboutWords(conclusion), mark: 'italic' }, ENDINGS[brief.tone]),
    ...faqBlocks(brief, kind),
    ...keywordPlan(brief, sections),
    ...searchBlocks(brief, title, description),
    heading(2, ASIDES.after),
    tasks(checklist(brief)),
  ]
  const body = convertBody({ json: { type: 'doc', content } })
  const seoTitle = shorten(title, LIMITS.seoTitle)
  const slug = slugify(kind.subject).split('-').slice(0, 8).join('-')
  const headings = sections.map((section) => section.heading)
  return {
    title,
    seoTitle,
    slug,
    description,
    excerpt: shorten(
      `Outline, not finished text: a plan for an article of about ${number(TARGET_WORDS[brief.length])} words on ${brief.topic}.`,
      LIMITS.excerpt,
    ),
    tags: tagsOf(brief),
    body,
    words: body.wordCount,
    faq: [],
    keywords: keywordReport(brief, { title, slug, description, headings, text: '' }),
    warnings: ['This is an outline to write from, not a finished text: no language model is configured.'],
  }
}

function plan(brief: Brief, kind: Kind): { sections: Planned[]; introduction: number; conclusion: number } {
  const { length, tone } = brief
  const ofKind = kind.sections.filter(({ from }) => from <= LEVEL[length]).slice(0, SECTIONS[length])
  const chosen = withTone(tone, ofKind)
  const taken = HEADING_WORDS * (chosen.length + 1) + (brief.includeFaq ? SHAPES[length].faqWords : 0)
  const weights = chosen.map(({ weight }) => weight)
  const [introduction = 0, ...rest] = planWords(length, weights, taken).map((words) => 5 * Math.round(words / 5))
  const sections = chosen.map((section, index) => ({ ...section, keywords: [] as string[], words: rest[index] ?? 0 }))
  brief.keywords.forEach((keyword, index) => {
    bestSection(sections, keyword, index)?.keywords.push(keyword)
  })
  return { sections, introduction, conclusion: rest.at(-1) ?? 0 }
}

/** The section that already mentions the keyword; other keywords go to the sections in turn, weightiest first. */
function bestSection(sections: readonly Planned[], keyword: string, index: number): Planned | undefined {
  const fits = sections.map(({ heading: title, notes }) => overlap(keyword, [title, ...notes].join(' ')))
  const best = Math.max(...fits)
  if (best > 0.5) return sections[fits.indexOf(best)]
  return sections.toSorted((a, b) => b.weight - a.weight)[index % sections.length]
}

/** Adds the tone's own section, if it has one, after the first. */
function withTone(tone: Tone, sections: readonly PlanSection[]): PlanSection[] {
  const extra = TONE_SECTIONS[tone]
  if (extra === undefined || sections.some(({ heading: title }) => title === extra.heading)) return [...sections]
  return [...sections.slice(0, 1), extra, ...sections.slice(1)]
}

function label({ length, tone }: Brief): DocNode {
  return quote(
    paragraph(
      { text: LABEL, mark: 'bold' },
      `It was made without a language model. Write your own text in place of the notes; about ${number(TARGET_WORDS[length])} words, ${tone} in tone.`,
    ),
  )
}

function beforeWriting({ niche, siteName, tone, pages }: Brief, { name, intent, subject }: Kind): DocNode[] {
  const where = siteName === '' ? 'your site' : siteName
  const items: Run[][] = [
    [
      { text: BEGINNINGS.reader, mark: 'bold' },
      `somebody who ${intent}. Write down one real person you know of that kind.`,
    ],
    [{ text: BEGINNINGS.kind, mark: 'bold' }, `${name}, on “${subject}”.`],
    [
      { text: BEGINNINGS.angle, mark: 'bold' },
      niche === ''
        ? `what can you say about it that the first three search results do not?`
        : `${where} is about ${niche}. Which situation of its readers makes this urgent? Take every example from there.`,
    ],
    [{ text: BEGINNINGS.tone, mark: 'bold' }, `${tone}. ${REMINDERS[tone]}`],
    [
      { text: BEGINNINGS.material, mark: 'bold' },
      'three facts, cases or pictures that nobody else has. Without them, do not begin.',
    ],
  ]
  const links = pages.map(({ title, url }): Run[] => [{ text: title, mark: 'link', href: url }])
  return [
    heading(2, ASIDES.before),
    bullets(items),
    ...(links.length === 0 ? [] : [paragraph('Posts of the site to link to where they help:'), bullets(links)]),
  ]
}

function sectionBlocks({ length, keywords }: Brief, section: Planned): DocNode[] {
  const { purpose, notes, questions, words } = section
  const used = section.keywords.map((keyword) => (keyword === keywords[0] ? `${keyword} (main)` : keyword))
  return [
    heading(2, section.heading),
    paragraph({ text: aboutWords(words), mark: 'italic' }, purpose),
    bullets(notes.slice(0, NOTES[length]).map((note) => [note])),
    paragraph({ text: BEGINNINGS.answer, mark: 'bold' }, questions.slice(0, QUESTIONS[length]).join(' ')),
    ...(used.length === 0 ? [] : [paragraph({ text: BEGINNINGS.use, mark: 'bold' }, used.join(' · '))]),
  ]
}

const GENERAL_QUESTIONS = [
  ['How long does it take?', 'A span, and what decides where in it one ends up.'],
  ['What does it cost?', 'The least, the usual, and what makes it more.'],
  ['What is the most common mistake?', 'The mistake, its first sign, and the way back.'],
  ['Can I do it myself?', 'For whom yes, for whom no, and where help is to be had.'],
  ['When is it not worth it?', 'The case in which you would advise against it.'],
] as const

function faqBlocks(brief: Brief, { subject }: Kind): DocNode[] {
  if (!brief.includeFaq) return []
  const { questions, faqWords } = SHAPES[brief.length]
  const about = brief.keywords
    .slice(1)
    .map(
      (keyword) =>
        [`What should I know about ${keyword}?`, `What a reader of “${subject}” needs of it, and no more.`] as const,
    )
  const each = Math.round(faqWords / questions / 5) * 5 - 10
  return [
    heading(2, 'Frequently asked questions'),
    paragraph(
      { text: `${aboutWords(faqWords, true)} ${each} for each answer.`, mark: 'italic' },
      'Replace these by what your readers really ask: look into your mail and comments.',
    ),
    ...[...about.slice(0, 2), ...GENERAL_QUESTIONS]
      .slice(0, questions)
      .flatMap(([question, note]) => [
        heading(3, question),
        paragraph({ text: BEGINNINGS.note, mark: 'italic' }, note),
      ]),
  ]
}

function keywordPlan({ keywords }: Brief, sections: readonly Planned[]): DocNode[] {
  if (keywords.length === 0) return []
  const rows = keywords.map((keyword, index) => {
    const home = sections.find((section) => section.keywords.includes(keyword))?.heading ?? ''
    return [
      keyword,
      home,
      index === 0 ? 'title, first 100 words, one heading, meta description, slug' : 'once or twice in its section',
    ]
  })
  return [heading(2, ASIDES.keywords), table(['Keyword', 'Section', 'Places'], rows)]
}

function searchBlocks({ keywords }: Brief, title: string, description: string): DocNode[] {
  const [primary] = keywords
  const missing = (text: string) => primary !== undefined && mentions(text, primary).count === 0
  return [
    heading(2, ASIDES.search),
    bullets([
      [
        { text: 'Title:', mark: 'bold' },
        `${[...title].length} of ${LIMITS.seoTitle} characters.${missing(title) ? ` Put “${primary}” into it.` : ''}`,
      ],
      [
        { text: 'Description:', mark: 'bold' },
        `${[...description].length} of ${LIMITS.description[1]} characters, made from the headings. Replace it by what is new in your text.${missing(description) ? ` Put “${primary}” into it.` : ''}`,
      ],
    ]),
  ]
}

function checklist({ includeFaq, keywords, pages }: Brief): string[] {
  return [
    'No note of this outline is left in the text.',
    'Every heading tells what its section gives.',
    'Every figure has a source that you have read.',
    ...(keywords.length > 0
      ? ['The main keyword stands in the title, the first 100 words, a heading and the description.']
      : []),
    ...(pages.length > 0 ? ['The text links to at least one other post of the site.'] : []),
    ...(includeFaq ? ['Each answer begins with the answer.'] : []),
    'Somebody who does not know the subject has read it.',
  ]
}

/** A description from the sections' gists, as many as fit. */
function describe(title: string, sections: readonly Planned[]): string {
  const most = LIMITS.description[1]
  for (let count = Math.min(4, sections.length); count > 1; count -= 1) {
    const gists = sections.slice(0, count).map(({ gist }) => gist)
    const text = `${title.replace(/[?.!:]+$/, '')}: ${gists.slice(0, -1).join(', ')} and ${gists.at(-1)}.`
    if ([...text].length <= most) return text
  }
  return shorten(title, most)
}

function tagsOf({ keywords, niche }: Brief): string[] {
  const tags = [...keywords.slice(0, 4), ...(niche !== '' && niche.length <= LIMITS.tag ? [niche] : [])]
  return [...new Set(tags.map((tag) => shorten(tag.toLowerCase(), LIMITS.tag)))]
}

/** The number with separators of thousands. */
function number(value: number): string {
  return value.toLocaleString('en')
}
