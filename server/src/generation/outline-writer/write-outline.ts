/**
 * The outline writer, used when no model is configured. It makes a plan to write from (sections with what to cover and how many words,
 * places for the keywords, questions, fields for search engines) and labels it as an outline. It writes no sentence that could pass for
 * the article. The same brief always gives the same outline.
 */
import { convertBody, slugify } from '../../posts/index.ts'
import { type Brief, TARGET_WORDS } from '../brief.ts'
import { planWords, SHAPES } from '../writing/budget.ts'
import { LIMITS } from '../writing/details.ts'
import { keywordReport } from '../writing/report.ts'
import { overlap, shorten } from '../writing/words.ts'
import type { WrittenDraft } from '../writing/write-draft.ts'
import { type Html, html } from './html.ts'
import { ASIDES, aboutWords, BEGINNINGS, LABEL } from './notes.ts'
import { PLANS, QUESTIONS, type SectionTemplate, TONE_NOTES } from './plan.ts'

/** The generator that jobs name. */
export const OUTLINE_WRITER = 'outline'

/** Words of a heading, of which no section's budget consists. */
const HEADING_WORDS = 6

/** A section with its keywords and its number of words. */
type Section = SectionTemplate & { keywords: string[]; words: number }

/** Makes the outline of a brief. */
export function writeOutline(brief: Brief): WrittenDraft {
  const { topic, length, tone, keywords, niche } = brief
  const title = shorten(capital(topic.trim().replaceAll(/\s+/g, ' ')), LIMITS.title)
  const { introduction, sections, conclusion } = sectionsOf(brief)
  const headings = sections.map(({ heading }) => heading)
  const words = TARGET_WORDS[length].toLocaleString('en')
  const description = describe(title, headings)
  const slug = slugify(title).split('-').slice(0, 8).join('-')
  const body = convertBody({
    html: html`
      <blockquote><p><strong>${LABEL}</strong> It was made without a language model. Write your own text in place of the notes; about
        ${words} words, ${tone} in tone.</p></blockquote>
      ${beforeWriting(brief)}
      <h2>Introduction</h2>
      <p><em>${aboutWords(introduction)}</em> ${TONE_NOTES[tone].opening}</p>
      ${sections.map(sectionHtml)}
      <h2>Conclusion</h2>
      <p><em>${aboutWords(conclusion)}</em> ${TONE_NOTES[tone].ending}</p>
      ${brief.includeFaq ? [questionsHtml(brief)] : []}
      ${keywords.length > 0 ? [keywordPlan(brief, sections)] : []}
      <h2>${ASIDES.search}</h2>
      <ul>
        <li><strong>Title:</strong> at most ${LIMITS.seoTitle} characters.</li>
        <li><strong>Description:</strong> at most ${LIMITS.description[1]} characters. It is made from the headings: replace it by
          what is new in your text.</li>
      </ul>
      <h2>${ASIDES.after}</h2>
      <ul>${checklist(brief).map((item) => html`<li><input type="checkbox"> ${item}</li>`)}</ul>`.text,
  })
  return {
    title,
    seoTitle: shorten(title, LIMITS.seoTitle),
    slug,
    description,
    excerpt: shorten(
      `Outline, not finished text: a plan for an article of about ${words} words on ${topic}.`,
      LIMITS.excerpt,
    ),
    tags: tagsOf(keywords, niche),
    body,
    words: body.wordCount,
    faq: [],
    keywords: keywordReport(brief, { title, slug, description, headings, text: '' }),
    warnings: ['This is an outline to write from, not a finished text: no language model is configured.'],
  }
}

/** The sections with their words, in steps of five, and their keywords. */
function sectionsOf({ length, includeFaq, keywords }: Brief) {
  const plan = PLANS[length]
  const taken = HEADING_WORDS * (plan.length + 1) + (includeFaq ? SHAPES[length].faqWords : 0)
  const weights = plan.map(({ weight }) => weight)
  const words = planWords(length, weights, taken).map((count) => 5 * Math.round(count / 5))
  const sections = plan.map((section, index): Section => ({ ...section, keywords: [], words: words[index + 1] ?? 0 }))
  keywords.forEach((keyword, index) => {
    const mentioning = sections.find(({ heading, covers }) => overlap(keyword, [heading, ...covers].join(' ')) > 0.5)
    const section = mentioning ?? sections[index % sections.length]
    section?.keywords.push(keyword)
  })
  return { introduction: words[0] ?? 0, sections, conclusion: words.at(-1) ?? 0 }
}

function beforeWriting({ niche, siteName, tone, pages }: Brief): Html {
  const site = siteName === '' ? 'Your site' : siteName
  const angle =
    niche === ''
      ? 'what can you say about it that the first three search results do not?'
      : `${site} is about ${niche}. Which situation of its readers makes this urgent? Take every example from there.`
  const links = pages.map(({ title, url }) => html`<li><a href="${url}">${title}</a></li>`)
  return html`
    <h2>${ASIDES.before}</h2>
    <ul>
      <li><strong>${BEGINNINGS.reader}</strong> write down one real person who would look for this, and why.</li>
      <li><strong>${BEGINNINGS.angle}</strong> ${angle}</li>
      <li><strong>${BEGINNINGS.tone}</strong> ${tone}. ${TONE_NOTES[tone].throughout}</li>
      <li><strong>${BEGINNINGS.material}</strong> three facts, cases or pictures that nobody else has.</li>
    </ul>
    ${links.length > 0 ? [html`<p>Posts of the site to link to where they help:</p><ul>${links}</ul>`] : []}`
}

function sectionHtml({ heading, covers, answers, words, keywords }: Section): Html {
  const use = html`<p><strong>${BEGINNINGS.use}</strong> ${keywords.join(' · ')}</p>`
  return html`
    <h2>${heading}</h2>
    <p><em>${aboutWords(words)}</em> What it covers:</p>
    <ul>${covers.map((point) => html`<li>${point}</li>`)}</ul>
    <p><strong>${BEGINNINGS.answer}</strong> ${answers}</p>
    ${keywords.length > 0 ? [use] : []}`
}

function questionsHtml({ length, keywords }: Brief): Html {
  const { questions: count, faqWords } = SHAPES[length]
  const aboutKeywords = keywords.slice(1, 3).map((keyword) => `What should I know about ${keyword}?`)
  const questions = [...aboutKeywords, ...QUESTIONS].slice(0, count)
  return html`
    <h2>Frequently asked questions</h2>
    <p><em>${aboutWords(faqWords, true)} each answer in two or three sentences.</em> Replace these by what your readers really ask: look
      into your mail and comments.</p>
    ${questions.map((question) => html`<h3>${question}</h3><p><em>${BEGINNINGS.note}</em> begin with the answer.</p>`)}`
}

function keywordPlan({ keywords }: Brief, sections: readonly Section[]): Html {
  const rows = keywords.map((keyword, index) => {
    const section = sections.find((one) => one.keywords.includes(keyword))?.heading ?? ''
    const places =
      index === 0 ? 'title, first 100 words, one heading, meta description, slug' : 'once or twice in its section'
    return html`<tr><td>${keyword}</td><td>${section}</td><td>${places}</td></tr>`
  })
  return html`
    <h2>${ASIDES.keywords}</h2>
    <table><tr><th>Keyword</th><th>Section</th><th>Places</th></tr>${rows}</table>`
}

function checklist({ keywords, pages }: Brief): string[] {
  return [
    'No note of this outline is left in the text.',
    'Every figure has a source that you have read.',
    ...(keywords.length > 0 ? ['The main keyword stands in the title, the first 100 words and the description.'] : []),
    ...(pages.length > 0 ? ['The text links to at least one other post of the site.'] : []),
    'Somebody who does not know the subject has read it.',
  ]
}

/** The title with as many of the first headings as fit. */
function describe(title: string, headings: readonly string[]): string {
  const most = LIMITS.description[1]
  for (let count = 4; count > 1; count -= 1) {
    const some = headings.slice(0, count).map((heading) => heading.charAt(0).toLowerCase() + heading.slice(1))
    const text = `${title.replace(/[?.!:]+$/, '')}: ${some.slice(0, -1).join(', ')} and ${some.at(-1)}.`
    if ([...text].length <= most) return text
  }
  return shorten(title, most)
}

function tagsOf(keywords: readonly string[], niche: string): string[] {
  const tags = [...keywords.slice(0, 4), ...(niche !== '' && niche.length <= LIMITS.tag ? [niche] : [])]
  return [...new Set(tags.map((tag) => shorten(tag.toLowerCase(), LIMITS.tag)))]
}

/** The text with a capital first letter. */
function capital(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('')
}
