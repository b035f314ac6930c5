/** The article's title, slug, summary and search engine fields, made from the written text. */
import { z } from 'zod'
import { slugify } from '../../posts/index.ts'
import type { Brief } from '../brief.ts'
import { briefData, data } from './prompts.ts'
import { type Ask, askForObject, type Progress, type Shape } from './structured-output.ts'
import { mentions, shorten } from './words.ts'

/** The details of an article, within the limits of a post. */
export type Details = {
  title: string
  seoTitle: string
  slug: string
  description: string
  excerpt: string
  tags: string[]
}

/** Limits in characters, as search engines show them; the title is the page's own and may be longer. */
export const LIMITS = { title: 90, seoTitle: 60, description: [110, 160], excerpt: 300, tag: 40, slug: 70 } as const
const TAGS = { least: 3, most: 6 }

const wire = z.strictObject({
  title: z.string(),
  seo_title: z.string(),
  slug: z.string(),
  description: z.string(),
  excerpt: z.string(),
  tags: z.array(z.string()),
})
const text = z.string().transform((value) => value.replaceAll(/\s+/g, ' ').trim())
const read = z.object({
  title: text,
  seo_title: text.catch(''),
  slug: text.catch(''),
  description: text.catch(''),
  excerpt: text.catch(''),
  tags: z.array(z.string()).catch([]),
})

const SHAPE: Shape<z.output<typeof read>> = {
  name: 'details',
  wire,
  read,
  example: { title: '', seo_title: '', slug: 'words-with-hyphens', description: '', excerpt: '', tags: ['tag'] },
}

/** The article as far as it is written. */
export type Written = { workingTitle: string; headings: string[]; introduction: string; progress: Progress }

/** Asks for the details; cuts what is still too long and makes what is still missing from the text. */
export async function writeDetails(ask: Ask, brief: Brief, written: Written): Promise<Details> {
  const inquiry = { prompt: prompt(brief, written), words: 150, progress: written.progress }
  const answer = await askForObject(ask, 'details', inquiry, SHAPE, (value) => complaints(brief, value))
  return complete(answer, written, brief)
}

function prompt(brief: Brief, { workingTitle, headings, introduction }: Written): string {
  const [primary] = brief.keywords
  const keyword = primary === undefined ? '' : ` It contains the main keyword, word for word.`
  return `${briefData(brief)}
${data('article', { working_title: workingTitle, headings, introduction })}

Write what surrounds this article, in its language.
- "title": says exactly what the reader gets, in at most 70 characters; no colon unless it is needed.${keyword}
- "seo_title": the title for search results, in at most ${LIMITS.seoTitle} characters.${keyword}
- "slug": 3 to 6 words of the title that matter, in lower case, joined by hyphens, Latin letters.
- "description": for search results, ${LIMITS.description[0]} to ${LIMITS.description[1]} characters: what the reader learns and why it is worth the click, as a full sentence.${keyword}
- "excerpt": one or two sentences for a list of articles; other words than the description.
- "tags": ${TAGS.least} to ${TAGS.most} subjects of one to three words.`
}

function complaints({ keywords: [primary] }: Brief, details: z.output<typeof read>): string[] {
  const { title, seo_title: seoTitle, description, excerpt, tags } = details
  const [least, most] = LIMITS.description
  const size = (value: string) => [...value].length
  const lacks = (name: string, value: string) =>
    primary !== undefined && mentions(value, primary).count === 0
      ? [`The ${name} lacks the main keyword "${primary}".`]
      : []
  return [
    ...(title === '' || size(title) > LIMITS.title
      ? [`The title has ${size(title)} characters; at most 70, not empty.`]
      : lacks('title', title)),
    ...(seoTitle === '' || size(seoTitle) > LIMITS.seoTitle
      ? [`The seo_title has ${size(seoTitle)} characters; at most ${LIMITS.seoTitle}, not empty.`]
      : []),
    ...(size(description) < least / 2 || size(description) > most
      ? [`The description has ${size(description)} characters; ${least} to ${most} are right.`]
      : lacks('description', description)),
    ...(excerpt === '' ? ['The excerpt is empty.'] : []),
    ...(tags.length === 0 ? [`There are no tags; ${TAGS.least} to ${TAGS.most} are right.`] : []),
  ]
}

function complete(answer: z.output<typeof read>, { workingTitle, introduction }: Written, brief: Brief): Details {
  const title = shorten(stripped(answer.title) || workingTitle || brief.topic, LIMITS.title)
  const opening = shorten(introduction, LIMITS.description[1])
  return {
    title,
    seoTitle: shorten(stripped(answer.seo_title) || title, LIMITS.seoTitle),
    slug: shortSlug(answer.slug || title),
    description: shorten(stripped(answer.description) || opening, LIMITS.description[1]),
    excerpt: shorten(stripped(answer.excerpt) || opening, LIMITS.excerpt),
    tags: tidyTags(answer.tags.length > 0 ? answer.tags : brief.keywords),
  }
}

/** Strips the quotation marks and markup that models put around titles. */
function stripped(value: string): string {
  return value
    .replaceAll(/\*\*|__|`|^#+\s*/g, '')
    .replace(/^["“'](.*)["”']$/, '$1')
    .replaceAll(/<[^<>]*>/g, '')
    .trim()
}

/** A slug cut at a word's end. */
function shortSlug(value: string): string {
  const slug = slugify(value)
  if (slug.length <= LIMITS.slug) return slug
  const cut = slug.slice(0, LIMITS.slug + 1)
  return cut.slice(0, cut.lastIndexOf('-') > 0 ? cut.lastIndexOf('-') : LIMITS.slug)
}

function tidyTags(tags: readonly string[]): string[] {
  const plain = tags
    .map((tag) => shorten(stripped(tag).replace(/^#/, '').toLowerCase(), LIMITS.tag))
    .filter((tag) => tag !== '')
  return [...new Set(plain)].slice(0, TAGS.most)
}
