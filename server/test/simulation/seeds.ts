import { type ChildProcess, fork } from 'node:child_process'
import type { Block, BlockResult } from './seeds-process.ts'
import type { Counts } from './world.ts'

const BLOCK = 25

/** The result of many seeds. `seeds`: how many were run. */
export type Summary = { seeds: number; seconds: number; counts: Counts; failures: BlockResult['failures'] }

/**
 * Runs `count` seeds from `first` on, in `processes` processes; hands out no more seeds once `mostFailures` have failed or
 * the time is over. `directory` is the checkout whose engine is simulated, `snapshot` a file of writeSnapshot.
 */
export async function runSeeds(options: {
  first: number
  count: number
  processes: number
  mostFailures: number
  mostSeconds: number
  directory: string
  snapshot: string
  onProgress?: (summary: Summary) => void
}): Promise<Summary> {
  const { first, count, processes, mostFailures, mostSeconds, onProgress } = options
  const startedAt = performance.now()
  const summary: Summary = { seeds: 0, seconds: 0, counts: {}, failures: [] }
  let next = first
  const nextBlock = (): Block | undefined => {
    const over = (performance.now() - startedAt) / 1_000 > mostSeconds || summary.failures.length >= mostFailures
    if (over || next >= first + count) return undefined
    const block = { from: next, to: Math.min(next + BLOCK, first + count) }
    next = block.to
    return block
  }
  const note = ({ block, counts, failures }: BlockResult) => {
    summary.seeds += block.to - block.from
    summary.seconds = (performance.now() - startedAt) / 1_000
    for (const [what, by] of Object.entries(counts)) summary.counts[what] = (summary.counts[what] ?? 0) + by
    summary.failures.push(...failures)
    onProgress?.(summary)
  }
  await Promise.all(Array.from({ length: processes }, () => work(options, nextBlock, note)))
  summary.failures.sort((a, b) => a.seed - b.seed)
  return summary
}

/** One process, given blocks until there are none. */
function work(
  { directory, snapshot }: { directory: string; snapshot: string },
  nextBlock: () => Block | undefined,
  note: (result: BlockResult) => void,
): Promise<void> {
  const child: ChildProcess = fork(`${directory}/server/test/simulation/seeds-process.ts`, [snapshot], {
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => {
    let done = false
    child.on('message', (message: 'ready' | BlockResult) => {
      if (message !== 'ready') note(message)
      const block = nextBlock()
      if (block !== undefined) return void child.send(block)
      done = true
      child.kill()
    })
    child.on('error', reject)
    child.on('exit', (code) => (done ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`))))
  })
}
