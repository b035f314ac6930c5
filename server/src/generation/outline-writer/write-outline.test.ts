import { describe, expect, it } from 'vitest'
import { type Brief, LENGTHS, TARGET_WORDS, TONES } from '../brief.ts'
import { aboutWords, LABEL, notesIn } from './notes.ts'
import { writeOutline } from './write-outline.ts'

const brief = (changes: Partial<Brief> = {}): Brief => ({
  topic: 'How to water tomatoes in a hot summer',
  length: 'medium',
  tone: 'professional',
  includeFaq: false,
  keywords: [],
  niche: '',
  siteName: '',
  pages: [],
  ...changes,
})

/** The planned words of the sections, the opening, the end and the questions. */
function plannedWords(markdown: string): number {
  return [...markdown.matchAll(/^\*About (\d+) words/gm)].reduce((total, [, words]) => total + Number(words), 0)
}

describe('an outline', () => {
  it('says that it is one, in the text, in the excerpt and in a warning', () => {
    const { body, excerpt, warnings } = writeOutline(brief())
    expect(body.markdown).toMatch(/^> \*\*This is an outline, not a finished text\.\*\*/)
    expect(excerpt).toMatch(/^Outline, not finished text/)
    expect(warnings.join()).toContain('not a finished text')
  })

  it('has notes that can be found again until they are gone', () => {
    const { json } = writeOutline(brief({ keywords: ['mulch'], includeFaq: true })).body
    const notes = notesIn(json)
    expect(notes[0]).toBe(LABEL)
    // One for each section of the medium length.
    expect(notes.filter((note) => note === 'Answer:')).toHaveLength(6)
    expect(notes).toEqual(expect.arrayContaining(['Before you write', 'Keyword plan', 'Note:', 'Use:']))
    const text = { type: 'text', text: 'About 200 words. Note: Before you publish, read it aloud.' }
    const written = { type: 'doc', content: [{ type: 'paragraph', content: [text] }] }
    expect(notesIn(written)).toEqual([])
    const italic = { ...text, text: aboutWords(75), marks: [{ type: 'italic' }] }
    expect(notesIn({ ...written, content: [{ type: 'paragraph', content: [italic] }] })).toEqual(['About 75 words.'])
  })

  it('is the same for the same brief', () => {
    const one = brief({ keywords: ['a', 'b'], includeFaq: true })
    expect(writeOutline(one)).toEqual(writeOutline(structuredClone(one)))
  })

  it.each(
    LENGTHS.flatMap((length) =>
      TONES.flatMap((tone) => [true, false].map((includeFaq) => ({ length, tone, includeFaq }))),
    ),
  )(
    'shares the words of its length out over its sections: $length, $tone, FAQ $includeFaq',
    ({ length, tone, includeFaq }) => {
      const planned = plannedWords(writeOutline(brief({ length, tone, includeFaq })).body.markdown)
      expect(Math.abs(planned / TARGET_WORDS[length] - 1)).toBeLessThan(0.1)
    },
  )

  it('has more sections, notes and questions the longer the text', () => {
    const counts = LENGTHS.map((length) => {
      const { markdown } = writeOutline(brief({ length })).body
      return {
        headings: markdown.match(/^## /gm)?.length ?? 0,
        notes: markdown.match(/^- /gm)?.length ?? 0,
        questions: markdown.match(/\?/g)?.length ?? 0,
      }
    })
    for (const key of ['headings', 'notes', 'questions'] as const) {
      const values = counts.map((count) => count[key])
      expect(values).toEqual(values.toSorted((a, b) => a - b))
      expect(new Set(values).size).toBe(3)
    }
  })

  it('differs with the tone', () => {
    expect(new Set(TONES.map((tone) => writeOutline(brief({ tone })).body.text)).size).toBe(TONES.length)
  })

  it('gives every keyword a section, and says where the main one belongs', () => {
    const keywords = ['watering tomatoes', 'mulch', 'rain barrel', 'drip irrigation']
    const { body, keywords: report, tags } = writeOutline(brief({ keywords }))
    for (const keyword of keywords) expect(body.markdown).toMatch(new RegExp(`^\\*\\*Use:\\*\\*.*${keyword}`, 'm'))
    expect(body.markdown).toContain('title, first 100 words, one heading, meta description, slug')
    expect(report.map(({ keyword, primary }) => [keyword, primary])).toEqual(
      keywords.map((keyword, index) => [keyword, index === 0]),
    )
    expect(tags).toEqual(keywords)
  })

  it('speaks of the site: its name, its niche and its posts', () => {
    const pages = [{ title: 'Choosing pots', url: 'https://b.example/pots', certain: true }]
    const { html } = writeOutline(brief({ siteName: 'Balcony Green', niche: 'small city gardens', pages })).body
    expect(html).toContain('Balcony Green is about small city gardens')
    expect(html).toContain('<a href="https://b.example/pots">Choosing pots</a>')
  })

  it('fills the fields for search engines within their limits', () => {
    const topic = `How to ${'water tomatoes '.repeat(30)}`.trim()
    for (const one of [brief(), brief({ topic }), brief({ topic: 'トマトの水やり' })]) {
      const { title, seoTitle, description, excerpt, slug } = writeOutline(one)
      expect([...title].length).toBeLessThanOrEqual(90)
      expect([...seoTitle].length).toBeLessThanOrEqual(60)
      expect([...description].length).toBeLessThanOrEqual(160)
      expect([...excerpt].length).toBeLessThanOrEqual(300)
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    }
  })

  it('offers questions without answering them', () => {
    const { body, faq } = writeOutline(brief({ includeFaq: true, keywords: ['x', 'mulch'] }))
    expect(body.markdown).toContain('### What should I know about mulch?')
    expect(faq).toEqual([])
  })

  it('keeps markup of the brief from being markup', () => {
    const nasty = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b**'
    const { html } = writeOutline(brief({ topic: nasty, niche: nasty, siteName: nasty, keywords: [nasty] })).body
    expect(html).not.toMatch(/<img|<a |<script/)
    expect(html).toContain('&lt;img')
  })
})
