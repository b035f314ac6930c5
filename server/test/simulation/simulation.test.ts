/** The first stories of the simulation, and tests of the simulation itself. `npm run simulate` runs many more. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases } from '../../../scripts/test/cases.ts'
import { embeddedTemplates } from '../support/embedded-templates.ts'
import { fits, MUTANTS } from './mutants.ts'
import { openSimulator, type Simulator } from './simulator.ts'
import { tell } from './story.ts'

const ALL_SEEDS = 500
const SEEDS = cases(ALL_SEEDS, 60)
const TIMEOUT_MS = 480_000

/** What happens too seldom to be in the stories of `npm test`. */
const RARE = [
  'late answers',
  'late answers before anything was recorded',
  'deliveries queued again',
  'removals of what was never sent',
  'recoveries checked after the careful part',
  'probes',
  'sites that come into an audience',
]

let templates: Awaited<ReturnType<typeof embeddedTemplates>>
let simulator: Simulator

beforeAll(async () => {
  templates = await embeddedTemplates()
  simulator = await openSimulator(templates.snapshot)
})
afterAll(async () => {
  await simulator.close()
  await templates.remove()
})

describe('the delivery engine', () => {
  it(`keeps its promises in ${SEEDS} stories`, { timeout: TIMEOUT_MS }, async () => {
    const broken: string[] = []
    const total: Record<string, number> = {}
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violations, counts } = await simulator.run(tell(seed))
      for (const [what, count] of Object.entries(counts)) total[what] = (total[what] ?? 0) + count
      broken.push(...violations.map(({ promise, detail }) => `seed ${seed} breaks "${promise}": ${detail}`))
    }
    expect(broken).toEqual([])
    // A simulation in which nothing happens keeps every promise.
    const expected = [
      'crashes',
      'takeovers',
      'repeated POSTs',
      'superseded',
      'superseded before an attempt',
      'removals checked',
      'workers cut off',
      'failed for good',
      'clock jumps',
      'stories whose clocks disagree',
      'connections lost',
      'schedules checked',
      'delays checked',
      'starts checked beside a site that hangs',
      'builds that served several',
      'debounces checked',
      'deliveries sent again by recoveries',
      'sites that leave an audience',
      ...(SEEDS < ALL_SEEDS ? [] : RARE),
    ]
    expect(expected.filter((what) => !((total[what] ?? 0) > 0))).toEqual([])
  })
})

describe('the ways to break the engine on purpose', () => {
  it.each(MUTANTS)('fit the code: $name', async (mutant) => {
    expect(await fits(mutant), `${mutant.file} has to say it once: ${mutant.from}`).toBe(1)
  })
})

describe('a story', () => {
  it('happens the same way each time, whatever was told before it', async () => {
    // The last three once showed where a replay depended on the layout of a table.
    const seeds = [5, 8, 13, 125, 188, 217]
    const told = new Map<number, string[]>()
    for (const seed of seeds) told.set(seed, (await simulator.run(tell(seed))).lines)
    for (const seed of seeds.toReversed()) expect((await simulator.run(tell(seed))).lines).toEqual(told.get(seed))
    const [first, second] = seeds.map((seed) => told.get(seed))
    expect(first).not.toEqual(second)
  })
})
