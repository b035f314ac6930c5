import { defineConfig } from 'vitest/config'

/** The black-box suite runs twice, once per kind of database; tests of pure code stand beside it and run once. */
const blackBox = (name: string) => ({
  test: {
    name,
    include: ['server/test/**/*.test.ts'],
    exclude: ['server/test/support/**'],
    globalSetup: `server/test/support/setup-${name}.ts`,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'server/src/**/*.test.ts',
            'server/test/support/**/*.test.ts',
            'sdk/**/*.test.ts',
            'integrations/**/*.test.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      blackBox('embedded'),
      blackBox('postgres'),
    ],
  },
})
