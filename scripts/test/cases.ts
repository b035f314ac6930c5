import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether generated cases are all to be run, or the part that `npm test` runs. */
    allCases: boolean
  }
}

/** How many of `all` generated cases this run makes: all of them, or `usual`, by default a quarter. */
export function cases(all: number, usual = Math.ceil(all / 4)): number {
  return inject('allCases') ? all : usual
}
