/** What a run of the tests takes in processor time: names the files that take long, and fails a run past its ceiling. */
import type { Reporter } from 'vitest/node'
import { processorMs } from './processor-time.ts'

/** A file that takes more seconds of processor time is named. */
const LONG_SECONDS = 20

/** `ceilingSeconds` is the most that the run may take; without it, the run may take what it likes. */
export function budget(ceilingSeconds: number | undefined): Reporter {
  return {
    // At the exit, because workers and database servers count once they have ended.
    onInit() {
      process.once('exit', () => {
        const seconds = Math.round(processorMs() / 1_000)
        console.log(`  Processor time ${seconds} s`)
        if (ceilingSeconds === undefined || seconds <= ceilingSeconds) return
        console.error(
          `  That is more than the ${ceilingSeconds} s that this run may take: CONTRIBUTING.md says what to do.`,
        )
        process.exitCode = 1
      })
    },
    onTestRunEnd(modules) {
      const long = modules
        .map((module) => ({ module, seconds: Math.round((module.meta().processorMs ?? 0) / 1_000) }))
        .filter(({ seconds }) => seconds > LONG_SECONDS)
        .sort((a, b) => b.seconds - a.seconds)
      for (const { module, seconds } of long)
        console.log(`  ${seconds} s of processor time: ${module.relativeModuleId} (${module.project.name})`)
    },
  }
}
