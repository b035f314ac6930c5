/**
 * The simulation: `npm run simulate` runs 50,000 seeds; `--seeds N` sets their number, `--from N` the first, `--minutes N` a
 * time limit. `--seed N` replays one and shows its story, and if it fails a shorter one. `--mutants` shows that the simulation
 * notices when the engine is broken (or, for locks, that a test does); `--only TEXT` runs the mutants with TEXT in their names.
 * The whole run and the mutants write their figures to server/bench/results.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { report, table } from '../../bench/support/report.ts'

import { writeSnapshot } from '../support/embedded-templates.ts'
import { checkOut, MUTANTS, type Mutant } from './mutants.ts'
import { runSeeds, type Summary } from './seeds.ts'
import { shrink } from './shrink.ts'
import { openSimulator } from './simulator.ts'
import { tell } from './story.ts'
import type { Outcome } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '1440' },
    seed: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

const ROOT = resolve(import.meta.dirname, '../../..')
const MOST_FAILURES = 10
const SEEDS = 50_000
/** A mutant that this many seeds do not notice has survived. */
const SEEDS_PER_MUTANT = 2_000

if (values.seed !== undefined) process.exitCode = await replay(Number(values.seed))
else {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-simulate-'))
  const snapshot = join(directory, 'snapshot')
  await writeSnapshot(snapshot)
  process.exitCode = await (values.mutants ? breakTheEngine(snapshot) : runAll(snapshot)).finally(() =>
    rm(directory, { recursive: true }),
  )
}

async function runAll(snapshot: string): Promise<number> {
  const asked = Number(values.seeds ?? SEEDS)
  const first = Number(values.from)
  let told = 0
  const summary = await runSeeds({
    first,
    count: asked,
    processes: availableParallelism(),
    mostFailures: MOST_FAILURES,
    mostSeconds: Number(values.minutes) * 60,
    directory: ROOT,
    snapshot,
    onProgress({ seeds, seconds, failures }) {
      for (const { seed, promise, detail } of failures.slice(told))
        console.error(`\nseed ${seed} breaks "${promise}": ${detail}\n  npm run simulate -- --seed ${seed}`)
      told = failures.length
      process.stderr.write(`\r${seeds}/${asked} seeds, ${(seeds / seconds).toFixed(1)}/s, ${told} failed `)
    },
  })
  process.stderr.write('\n')
  await report('simulate', `npm run simulate -- --seeds ${asked} --from ${first}`, [
    sentence(summary, asked),
    table(
      ['exercised', 'times'],
      Object.entries(summary.counts).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  ])
  return summary.failures.length > 0 ? 1 : 0
}

function sentence({ seeds, seconds, failures }: Summary, asked: number): string {
  const ran =
    seeds === asked
      ? `${seeds.toLocaleString('en-US')} seeds`
      : `${seeds.toLocaleString('en-US')} of ${asked.toLocaleString('en-US')} seeds`
  const rate = `${(seeds / seconds).toFixed(1)} seeds/s in ${availableParallelism()} processes, ${Math.round(seconds)} s`
  const broken =
    failures.length === 0
      ? 'No promise was broken.'
      : `${failures.length} seeds broke a promise: ${failures.map(({ seed }) => seed).join(', ')}.`
  return `${ran}, ${rate}. ${broken}`
}

/** Shows a story as it happened, and if it broke a promise, the shortest story found that still does. */
async function replay(seed: number): Promise<number> {
  const simulator = await openSimulator()
  const story = tell(seed)
  const outcome = await simulator.run(story)
  show(`seed ${seed}`, outcome)
  const broken = outcome.violations.length > 0
  if (broken) {
    const shorter = await shrink(simulator, story, outcome)
    show(`the same, shortened to ${shorter.story.steps.length} of ${story.steps.length} steps`, shorter.outcome)
  }
  await simulator.close()
  return broken ? 1 : 0
}

function show(title: string, { lines, violations, counts }: Outcome): void {
  console.log(`${title}\n\n${lines.join('\n')}\n\n${JSON.stringify(counts)}`)
  for (const { promise, detail } of violations) console.log(`BROKEN ${promise}: ${detail}`)
  if (violations.length === 0) console.log('Every promise was kept.')
  console.log('')
}

async function breakTheEngine(snapshot: string): Promise<number> {
  const rows: Array<[string, string, string]> = []
  let wrong = 0
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(values.only))) {
    const { directory, remove } = await checkOut(mutant)
    const seen = await (mutant.test === undefined
      ? simulate(mutant, directory, snapshot)
      : test(mutant.test, directory)
    ).finally(remove)
    if ((seen.by === undefined) !== (mutant.survives !== undefined)) wrong += 1
    rows.push([mutant.name, seen.where, seen.by ?? mutant.survives ?? 'NOT NOTICED'])
    console.error(rows.at(-1)?.join(' | '))
  }
  if (values.only === '')
    await report('simulate-mutants', 'npm run simulate -- --mutants', [
      'The first seed, counted from 1, in which a promise is broken once the engine is; or the test that fails, where the simulation cannot see it.',
      table(['mutation', 'noticed in', 'by the promise, or why not'], rows),
    ])
  return wrong > 0 ? 1 : 0
}

/** Where a mutant was noticed, or how long it survived; `by`: the promise or test that noticed it. */
type Seen = { where: string; by: string | undefined }

async function simulate({ survives }: Mutant, directory: string, snapshot: string): Promise<Seen> {
  const seeds = Number(values.seeds ?? SEEDS_PER_MUTANT)
  const summary = await runSeeds({
    first: 1,
    count: survives === undefined ? seeds : Math.ceil(seeds / 10),
    processes: availableParallelism(),
    mostFailures: 1,
    mostSeconds: 3_600,
    directory,
    snapshot,
  })
  const [failure] = summary.failures
  if (failure === undefined) return { where: `survives ${summary.seeds} seeds`, by: undefined }
  return { where: `seed ${failure.seed}`, by: failure.promise }
}

/** Runs a test on PostgreSQL. */
async function test(path: string, directory: string): Promise<Seen> {
  const told = join(directory, 'told.json')
  const args = [
    'vitest',
    'run',
    '--mode',
    'all',
    '--project',
    'postgres',
    '--reporter',
    'json',
    '--outputFile',
    told,
    path,
  ]
  await promisify(execFile)('npx', args, { cwd: directory }).catch(() => {}) // the test is expected to fail
  const { testResults }: Told = JSON.parse(await readFile(told, 'utf8'))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  if (!tests.some(({ status }) => status === 'passed')) throw new Error(`${path} could not be run.`)
  return { where: basename(path), by: tests.find(({ status }) => status === 'failed')?.title }
}

type Told = { testResults: Array<{ assertionResults: Array<{ title: string; status: string }> }> }
