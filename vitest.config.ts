import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { budget } from './scripts/test/budget.ts'
import { LongestFirst } from './scripts/test/longest-first.ts'

/** What `npm test` may take at most, in seconds of processor time; see CONTRIBUTING.md. */
const CEILING_SECONDS = 1_200

/** The black-box tests. All of them run on PostgreSQL, where several connections can get in each other's way, and on the embedded database. */
const BLACK_BOX = globSync('server/test/{*,specification/*}.test.ts')

/** What of them runs on PostgreSQL alone: it is about what clients, receivers and providers of models send, not about what a database does. */
const POSTGRES_ALONE = globSync([
  'server/test/{errors,fuzz,hostile-input,unread-answers,uploads,web-app,wire}.test.ts',
  'server/test/{building,converting,notifications,rate-limits,receiving}.test.ts',
  'server/test/generation{,-process,-providers}.test.ts',
  // What several processes cache; and deliveries and recoveries, which the simulation tries on the embedded database.
  'server/test/{deliveries,pull-cache,recovery}.test.ts',
  // What the same statements answer on both: the embedded database is PostgreSQL too. The specification's tests and those of publishing run on it.
  'server/test/{analytics,backfill,bodies,build-hooks,changes,destinations,find,idempotency,keys-rotate,live,live-streams,many-posts,mcp,metrics,platform-detection,posts,pull,pull-sync,reference,sites}.test.ts',
  // What clients and sites are told, and who may ask.
  'server/test/{accounts,api-tokens,audience,author-commands,contract,delivery-log,event-contents,export,imports,media,media-bucket,originals,previews,receipts,revisions,session,tenants,traces,trash,working-copy}.test.ts',
])

/** What of them `npm test` runs on the embedded database too, and why. */
const EMBEDDED: Record<string, string> = {
  'server/test/database.test.ts': 'Is about the database.',
  'server/test/story.test.ts': 'What a newcomer sees first is on this database.',
}

/** What of them runs a third time, on PostgreSQL with the API and two workers in processes of their own, because that is a part of its subject. */
const APART = globSync([
  // The workers share lanes, schedules and housekeeping by leases and locks; how they share drafts is tried with killed processes (generation-process).
  'server/test/{deliveries,locks,publishing,retention}.test.ts',
  // What one process did is seen through another: live updates, what is cached, traces.
  'server/test/{live,live-streams,traces}.test.ts',
  // The whole story.
  'server/test/story.test.ts',
])

/** What of that `npm test` runs. */
const APART_USUAL = ['live', 'publishing', 'story'].map((name) => `server/test/${name}.test.ts`)

/** The files in a browser that `npm test` runs: the story from the first sign-in to the post that has arrived. */
const BROWSER_USUAL = ['dashboard/test/story.test.ts']

/** What takes long and seldom breaks: `npm run test:rest` runs it, `npm test` does not. */
const SLOW = globSync([
  // Processes that are started, stopped and killed, again and again.
  'server/test/{command-processes,generation-process,live-processes,platform-detection-restart,process}.test.ts',
  // Embedded databases in directories: killed, filled up, damaged, made by an older release.
  'server/src/platform/db/embedded/{apart,durability,open-embedded,upgrade}.test.ts',
  // PostgreSQL servers of the test's own.
  'server/test/database-tls.test.ts',
  'server/test/support/postgres/postgres.test.ts',
  // What is largest or costs most, and what providers of models do that they should not.
  'server/src/posts/body/hostile.test.ts',
  'server/test/{generation-providers,large-posts}.test.ts',
  // Hours of waiting and coming back; the simulation, a part of which is usual, has recoveries and withdrawals too.
  'server/test/{recovery,withdrawn}.test.ts',
  // Pictures of all kinds are made, broken and converted.
  'server/test/{media,media-bucket}.test.ts',
  // Hundreds of files, pushed twice.
  'server/test/author-commands.test.ts',
  // Files of other software, whole and hostile.
  'server/test/imports.test.ts',
  // Requests that nobody would write, thirty of them for every operation.
  'server/test/fuzz.test.ts',
  // The SDK as a package, built and packed.
  'sdk/test/package.test.ts',
])

/** Files with generated cases: `npm test` runs a part of the cases, `npm run test:rest` all of them. */
const GENERATED = [
  'server/test/pull-cache.test.ts',
  'server/test/simulation/simulation.test.ts',
  'server/src/posts/body/convert.property.test.ts',
  'server/src/posts/body/sanitize.test.ts',
  'server/src/platform/egress/addresses.test.ts',
]

const UNIT = globSync([
  'server/src/**/*.test.ts',
  'server/eval/*.test.ts',
  'server/test/{corpus,support,simulation}/**/*.test.ts',
  'sdk/{src,test}/**/*.test.ts',
  'integrations/*/{src,test}/**/*.test.ts',
  'dashboard/{src,build}/**/*.test.ts',
])

/** `npm test` runs what is usual, `npm run test:rest` what that leaves out, `npm run test:all` both at once. */
type Extent = 'usual' | 'rest' | 'all'

/** The files of a project: all of them, those of `npm test`, or the others and those of which it runs only a part of the cases. */
function filesOf(extent: Extent, all: readonly string[], candidates = all): string[] {
  const usual = candidates.filter((file) => !SLOW.includes(file))
  if (extent === 'all') return [...all]
  if (extent === 'usual') return usual
  return all.filter((file) => !usual.includes(file) || GENERATED.includes(file))
}

export default defineConfig(({ mode }) => {
  const extent: Extent = mode === 'rest' || mode === 'all' ? mode : 'usual'
  const project = (name: string, include: string[], more: object = {}) => ({
    extends: true as const,
    test: { name, include, ...more },
  })
  const blackBox = (name: string, include: string[], more: object = {}) =>
    project(name, include, { globalSetup: `server/test/support/setup-${name}.ts`, testTimeout: 240_000, ...more })
  const browser = globSync('dashboard/test/**/*.test.ts')
  return {
    test: {
      // The tests wait for processes and databases as well as they compute.
      maxWorkers: Math.ceil(1.5 * availableParallelism()),
      // Files share their worker's modules: what is in them belongs to a service or a database, never to a test.
      isolate: false,
      sequence: { sequencer: LongestFirst },
      restoreMocks: true,
      unstubGlobals: true,
      unstubEnvs: true,
      setupFiles: ['scripts/test/measure.ts'],
      reporters: ['default', budget(extent === 'usual' ? CEILING_SECONDS : undefined)],
      provide: { allCases: extent !== 'usual' },
      // How long a condition may take to come true says nothing about the code on a machine that is busy.
      expect: { poll: { timeout: 15_000 } },
      testTimeout: 180_000,
      hookTimeout: 300_000,
      projects: [
        project('unit', filesOf(extent, UNIT), { globalSetup: 'server/test/support/setup-embedded.ts' }),
        blackBox('postgres', filesOf(extent, BLACK_BOX)),
        blackBox(
          'embedded',
          filesOf(
            extent,
            BLACK_BOX.filter((file) => !POSTGRES_ALONE.includes(file)),
            Object.keys(EMBEDDED),
          ),
        ),
        blackBox('apart', filesOf(extent, APART, APART_USUAL), {
          setupFiles: 'server/test/support/apart/end-members.ts',
        }),
        project('browser', filesOf(extent, browser, BROWSER_USUAL), {
          globalSetup: ['server/test/support/setup-embedded.ts', 'dashboard/test/support/setup.ts'],
        }),
      ],
    },
  }
})
