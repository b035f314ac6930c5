import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Brief } from '../src/generation/brief.ts'
import type { WrittenDraft } from '../src/generation/writing/write-draft.ts'
import { convertBody } from '../src/posts/index.ts'
import { startModelServer } from '../test/support/model-server.ts'
import { formProblems, readability } from './measure.ts'

const RUN = fileURLToPath(new URL('run.ts', import.meta.url))

async function evaluate(env: Record<string, string>, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [RUN, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('npm run eval', () => {
  it('judges the outline writer when no model is configured: every length, tone and FAQ', async () => {
    const { code, output } = await evaluate({})
    expect(code).toBe(0)
    expect(output).toContain('Drafts by outline')
    expect(output.match(/^(short|medium|long) /gm)).toHaveLength(24)
    for (const [, off] of output.matchAll(/ ([+-]\d+\.\d)% /g)) expect(Math.abs(Number(off))).toBeLessThanOrEqual(10)
  })

  it('judges the configured model, and keeps what it wrote', async () => {
    const model = await startModelServer()
    const dir = await mkdtemp(join(tmpdir(), 'postrider-eval-'))
    const env = { AI_BASE_URL: model.baseUrl, AI_MODEL: 'test' }
    const one = ['--length', 'short', '--tone', 'casual,persuasive', '--faq', 'yes', '--out', dir]
    const good = await evaluate(env, ...one)
    expect(good.code).toBe(0)
    expect(good.output).toContain('Drafts by openai-compatible/test')
    expect(good.output).toMatch(/^short +casual +yes +800 +\d+ +[+-]\d\.\d% +3\/3 +5\/5 .* 8 +0 .* ok$/m)
    expect(await readdir(dir)).toEqual(['short-casual-faq.md', 'short-persuasive-faq.md'])
    model.follow(() => ({ status: 401, body: 'no' }))
    const bad = await evaluate(env, ...one)
    expect(bad).toMatchObject({ code: 1, output: expect.stringContaining('FAILED unauthorized: 401') })
    await model.close()
    await rm(dir, { recursive: true })
  })
})

describe('what is measured', () => {
  it('tells plain from difficult', () => {
    const plain = readability('The cat sat on the mat. It was warm. The sun was out. We had tea.')
    const difficult = readability(
      'Institutional considerations notwithstanding, organisational transformation necessitates comprehensive reconceptualisation of interdependencies.',
    )
    expect(plain.flesch).toBeGreaterThan(90)
    expect(difficult.flesch).toBeLessThan(0)
    expect(plain.lix).toBeLessThan(20)
    expect(difficult.lix).toBeGreaterThan(60)
    expect(plain.sentence).toBe(4)
  })

  it('names what is wrong with a form', () => {
    const brief: Brief = {
      topic: 'x',
      length: 'short',
      tone: 'casual',
      includeFaq: true,
      keywords: [],
      niche: '',
      siteName: '',
      pages: [],
    }
    const markdown = `# Title\n\nWe delve into it.\n\n### Deep\n\n[Insert example]. In this article you see [a](https://b.example).\n\nThis is the same sentence as the one after it. This is the same sentence as the one after it.`
    const draft: WrittenDraft = {
      title: '',
      seoTitle: 'x'.repeat(61),
      slug: 'No slug',
      description: 'short',
      excerpt: '',
      tags: [],
      body: convertBody({ markdown }),
      words: 0,
      faq: [{ question: 'What?', answer: 'Yes.' }],
      keywords: [],
      warnings: [],
    }
    expect(formProblems(brief, draft)).toEqual([
      'has an h1',
      'only 0 sections',
      'headings skip a level',
      'introduction of 0 words',
      'stock phrases: delve',
      'speaks of itself: in this article',
      'placeholders: [insert example]',
      '1 sentences repeated',
      'links or pictures nobody offered',
      '1 of 3 questions',
      'an answer too short or too long',
      'SEO title too long',
      'description of 5 characters',
      'no usable slug',
      '0 tags',
    ])
  })
})
