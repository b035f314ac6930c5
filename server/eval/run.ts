/**
 * Judges what writes drafts: `npm run eval` has one draft written for each length, tone and FAQ, by the model that is
 * configured (AI_MODEL and the rest), else by the outline writer, and prints what can be measured. No database, no service.
 *
 *   npm run eval -- --length short --tone casual,professional --faq no --out drafts/
 *
 * Exits 1 when a draft failed or missed its length by more than a tenth.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Brief, LENGTHS, TARGET_WORDS, TONES } from '../src/generation/brief.ts'
import { connectModel } from '../src/generation/model/connect.ts'
import { type Model, ModelError } from '../src/generation/model/model.ts'
import { OUTLINE_WRITER, writeOutline } from '../src/generation/outline-writer/write-outline.ts'
import { waitAfter } from '../src/generation/policy.ts'
import { withinTolerance } from '../src/generation/writing/budget.ts'
import { systemPrompt } from '../src/generation/writing/prompts.ts'
import type { Ask } from '../src/generation/writing/structured-output.ts'
import { type WrittenDraft, writeDraft } from '../src/generation/writing/write-draft.ts'
import { systemClock } from '../src/platform/clock.ts'
import { parseConfig } from '../src/platform/config.ts'
import { createEgress } from '../src/platform/egress/egress.ts'
import { readSecretFiles } from '../src/platform/secret-files.ts'
import { formProblems, headings, readability } from './measure.ts'

const USAGE = `Usage: npm run eval -- [options]
  --length short,medium,long      lengths to try (all)
  --tone casual,…                 tones to try (all)
  --faq yes,no                    with and without questions (both)
  --topic TEXT, --keywords A,B, --niche TEXT
  --out DIR                       keep the drafts there, as Markdown
The model is the one that AI_PROVIDER, AI_BASE_URL, AI_API_KEY and AI_MODEL name; without AI_MODEL the outline writer.`

/** What a draft took: questions, those of them that were put again, tokens both ways, seconds. */
type Cost = { asked: number; again: number; tokens: number; seconds: number }

type Result = { brief: Brief; cost: Cost } & ({ draft: WrittenDraft } | { failure: string })

const { values } = parseArgs({
  options: {
    length: { type: 'string', default: LENGTHS.join() },
    tone: { type: 'string', default: TONES.join() },
    faq: { type: 'string', default: 'yes,no' },
    topic: { type: 'string', default: 'How to water tomatoes in a hot summer' },
    keywords: { type: 'string', default: 'watering tomatoes,mulch,blossom end rot' },
    niche: { type: 'string', default: 'vegetable gardening on small city balconies' },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

function chosen<Value extends string>(name: string, given: string, known: readonly Value[]): Value[] {
  return given.split(',').map((text) => {
    const value = known.find((one) => one === text.trim())
    if (value === undefined) {
      console.error(`--${name}: "${text}" is none of ${known.join(', ')}\n\n${USAGE}`)
      process.exit(64)
    }
    return value
  })
}

const lengths = chosen('length', values.length, LENGTHS)
const tones = chosen('tone', values.tone, TONES)
const faqs = chosen('faq', values.faq, ['yes', 'no'] as const)
const briefs = lengths.flatMap((length) =>
  tones.flatMap((tone) =>
    faqs.map(
      (faq): Brief => ({
        topic: values.topic,
        length,
        tone,
        includeFaq: faq === 'yes',
        keywords: values.keywords
          .split(',')
          .map((keyword) => keyword.trim())
          .filter((keyword) => keyword !== ''),
        niche: values.niche,
        siteName: '',
        pages: [],
      }),
    ),
  ),
)

const env = { ...process.env, DATABASE_URL: undefined, DATABASE_URL_FILE: undefined, ROLE: undefined }
const { ai } = parseConfig(readSecretFiles(env))
const egress = createEgress({ allow: 'none', userAgent: 'Postrider/eval' })
const model = ai.model && connectModel(egress, ai.model)

console.log(`Drafts by ${model?.name ?? OUTLINE_WRITER} on “${values.topic}”\n`)
const COLUMNS = [
  'length',
  'tone',
  'FAQ',
  'target',
  'actual',
  'off',
  'keywords',
  'main kw',
  'h2',
  'h3',
  'flesch',
  'lix',
  'words/sent',
  'asked',
  'again',
  'tokens',
  'seconds',
  'form',
]
const WIDTHS = [7, 13, 4, 7, 7, 7, 9, 8, 3, 3, 7, 4, 11, 6, 6, 7, 8, 0]
const print = (cells: Array<string | number>) =>
  console.log(cells.map((cell, index) => String(cell).padEnd(WIDTHS[index] ?? 0)).join(' '))
print(COLUMNS)

let missed = 0
for (const brief of briefs) {
  const result = await write(brief)
  print([brief.length, brief.tone, brief.includeFaq ? 'yes' : 'no', ...cellsOf(result)])
  if (!('draft' in result) || (model !== undefined && !withinTolerance(result.draft.words, TARGET_WORDS[brief.length])))
    missed += 1
  if (values.out !== undefined && 'draft' in result) await keep(values.out, brief, result.draft)
}
await egress.close()
console.log(
  `\n${briefs.length} drafts, ${missed} failed or off their length by more than 10 %.` +
    (model === undefined ? ' Of an outline, “actual” is the sum of what it plans.' : ''),
)
process.exit(missed === 0 ? 0 : 1)

async function write(brief: Brief): Promise<Result> {
  const cost: Cost = { asked: 0, again: 0, tokens: 0, seconds: 0 }
  const startedAt = performance.now()
  try {
    const draft = model === undefined ? writeOutline(brief) : await writeDraft(brief, asking(model, brief, cost))
    return { brief, cost: { ...cost, seconds: secondsSince(startedAt) }, draft }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { brief, cost: { ...cost, seconds: secondsSince(startedAt) }, failure: `${error.kind}: ${error.detail}` }
  }
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10
}

/** Puts questions as a job does, waits included. */
function asking(asked: Model, brief: Brief, cost: Cost): Ask {
  return async (name, { prompt, words, shape }) => {
    for (let tries = 1; ; tries += 1) {
      cost.asked += 1
      if (name.includes('~') || tries > 1) cost.again += 1
      const question = {
        system: systemPrompt(brief),
        prompt,
        shape,
        maxTokens: 4 * words + 1_000,
        tokensLeft: ai.tokensPerJob - cost.tokens,
      }
      try {
        const { text, tokens } = await asked.ask(question, new AbortController().signal)
        cost.tokens += tokens.input + tokens.output
        return text
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        cost.tokens += error.tokens.input + error.tokens.output
        const waitMs = waitAfter(error.kind, tries, error.retryAfterMs)
        if (waitMs === undefined) throw error
        await systemClock.sleep(waitMs)
      }
    }
  }
}

function cellsOf(result: Result): Array<string | number> {
  const { brief, cost } = result
  const target = TARGET_WORDS[brief.length]
  const costs = [cost.asked, cost.again, cost.tokens, cost.seconds]
  if (!('draft' in result))
    return [target, '-', '-', '-', '-', '-', '-', '-', '-', '-', ...costs, `FAILED ${result.failure}`]
  const { draft } = result
  const { flesch, lix, sentence } = readability(draft.body.text)
  const actual = model === undefined ? plannedWords(draft) : draft.words
  const main = draft.keywords.find(({ primary }) => primary)
  const places =
    main === undefined ? [] : [main.inTitle, main.inSlug, main.inIntroduction, main.inHeadings, main.inDescription]
  const used = draft.keywords.filter(({ keyword, occurrences }) =>
    model === undefined ? draft.body.text.includes(keyword) : occurrences > 0,
  )
  const problems = model === undefined ? ['an outline'] : formProblems(brief, draft)
  return [
    target,
    actual,
    `${actual >= target ? '+' : ''}${(100 * (actual / target - 1)).toFixed(1)}%`,
    `${used.length}/${draft.keywords.length}`,
    model === undefined ? 'planned' : `${places.filter((place) => place).length}/${places.length}`,
    headings(draft.body.json, 2).length,
    headings(draft.body.json, 3).length,
    flesch,
    lix,
    sentence,
    ...costs,
    problems.length === 0 ? 'ok' : problems.join('; '),
  ]
}

/** What an outline plans for its parts, its questions included. */
function plannedWords({ body }: WrittenDraft): number {
  return [...body.markdown.matchAll(/^\*About (\d+) words/gm)].reduce((total, [, words]) => total + Number(words), 0)
}

async function keep(
  dir: string,
  { length, tone, includeFaq }: Brief,
  { title, description, body, warnings }: WrittenDraft,
): Promise<void> {
  await mkdir(dir, { recursive: true })
  const head = [`# ${title}`, `> ${description}`, ...warnings.map((warning) => `> Warning: ${warning}`)].join('\n\n')
  await writeFile(join(dir, `${length}-${tone}${includeFaq ? '-faq' : ''}.md`), `${head}\n\n${body.markdown}`)
}
