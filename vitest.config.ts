import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { budget } from './scripts/test/budget.ts'

/** What `npm test` may take at most, in seconds of processor time; see CONTRIBUTING.md. */
const CEILING_SECONDS = 3_000

/** The black-box tests. All of them run on PostgreSQL, where several connections can get in each other's way. */
const BLACK_BOX = globSync('server/test/{*,specification/*}.test.ts')

/** What of them `npm test` runs a second time, on the embedded database, and why. */
const EMBEDDED: Record<string, string> = {
  'server/test/commands-directory.test.ts': 'A directory, its key and its lock exist only here.',
  'server/test/database.test.ts': 'Is about the database.',
  'server/test/keys-rotate.test.ts': 'The key lies in a file only here.',
  'server/test/process.test.ts': 'What survives the end of a process depends on the database.',
  'server/test/story.test.ts': 'What a newcomer sees first is on this database.',
}

/** What of them `npm test` runs a second time, on PostgreSQL with the API and two workers in processes of their own, and why. */
const APART: Record<string, string> = {
  'server/test/deliveries.test.ts': 'The workers share the lanes by leases.',
  'server/test/generation.test.ts': 'The workers share the drafts by leases.',
  'server/test/live.test.ts': 'What a worker did reaches the streams of the API.',
  'server/test/publishing.test.ts': 'Both workers publish what is due.',
  'server/test/pull-cache.test.ts': 'What another process wrote ends what this one holds.',
}

/** What else can be split into processes: `npm run test:rest` runs it so. */
const ALSO_APART = globSync([
  'server/test/{accounts,analytics,contract,deliveries,delivery-log,find,generation,idempotency}.test.ts',
  'server/test/{live,live-streams,locks,many-posts,platform-detection,posts,publishing,pull,pull-cache}.test.ts',
  'server/test/{rate-limits,retention,session,sites,story,tenants,traces}.test.ts',
  'server/test/specification/*.test.ts',
])

/** The files in a browser that `npm test` runs. */
const BROWSER = ['dashboard/test/story.test.ts', 'dashboard/test/session.test.ts']

/** Files with generated cases: `npm test` runs a part of the cases, `npm run test:rest` all of them. */
const GENERATED = [
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
function filesOf(extent: Extent, all: readonly string[], usual: readonly string[]): string[] {
  if (extent === 'all') return [...all]
  if (extent === 'usual') return [...usual]
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
        project('unit', filesOf(extent, UNIT, UNIT), { globalSetup: 'server/test/support/setup-embedded.ts' }),
        blackBox('postgres', filesOf(extent, BLACK_BOX, BLACK_BOX)),
        blackBox('embedded', filesOf(extent, BLACK_BOX, Object.keys(EMBEDDED))),
        blackBox('apart', filesOf(extent, ALSO_APART, Object.keys(APART)), {
          setupFiles: 'server/test/support/apart/end-members.ts',
        }),
        project('browser', filesOf(extent, browser, BROWSER), {
          globalSetup: ['server/test/support/setup-embedded.ts', 'dashboard/test/support/setup.ts'],
        }),
      ],
    },
  }
})
