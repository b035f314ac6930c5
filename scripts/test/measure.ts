/** Runs beside every test file, in its process: writes down what processor time the file took. */
import { afterAll } from 'vitest'
import { processorMs } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What a test file took: its process and the children that have ended, but not a database server that files share. */
    processorMs?: number
  }
}

// A process that has run no file yet was started for this one.
const world = globalThis as { hasRunTests?: boolean }
const before = world.hasRunTests ? processorMs() : 0
world.hasRunTests = true

// Registered first, so it runs last.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the first parameter's names
afterAll(({}, file) => {
  file.meta.processorMs = processorMs() - before
})
