import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { EXCEPTIONS } from './server/test/support/apart/exceptions.ts'

/**
 * The black-box suite runs once per kind of database, and once more on PostgreSQL with the API and two workers in processes
 * of their own. Tests of pure code stand beside it and run once.
 */
const blackBox = (name: string, except: Record<string, string> = {}) => ({
  test: {
    name,
    include: ['server/test/**/*.test.ts'],
    exclude: ['server/test/{support,simulation}/**', ...Object.keys(except)],
    globalSetup: `server/test/support/setup-${name}.ts`,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  test: {
    // The tests wait for processes and databases as well as they compute.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'server/src/**/*.test.ts',
            'server/eval/*.test.ts',
            'server/test/support/**/*.test.ts',
            'server/test/simulation/**/*.test.ts',
            'sdk/**/*.test.ts',
            'integrations/**/*.test.ts',
            'dashboard/{src,build}/**/*.test.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      blackBox('embedded'),
      blackBox('postgres'),
      blackBox('apart', EXCEPTIONS),
      {
        test: {
          name: 'browser',
          include: ['dashboard/test/**/*.test.ts'],
          globalSetup: ['server/test/support/setup-embedded.ts', 'dashboard/test/support/setup.ts'],
          // A browser on a busy machine is late now and then; what fails twice is wrong.
          retry: 1,
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
