/** Runs blocks of seeds for run.ts, in a process of its own: each message is a block, each answer its result. */
import { openSimulator } from './simulator.ts'
import { tell } from './story.ts'
import type { Counts } from './world.ts'

/** Seeds from `from` to below `to`. */
export type Block = { from: number; to: number }

/** The result of a block. */
export type BlockResult = {
  block: Block
  counts: Counts
  failures: Array<{ seed: number; promise: string; detail: string }>
}

const simulator = await openSimulator(process.argv[2])

async function run(block: Block): Promise<BlockResult> {
  const counts: Counts = {}
  const failures: BlockResult['failures'] = []
  for (let seed = block.from; seed < block.to; seed += 1) {
    const outcome = await simulator.run(tell(seed))
    for (const [what, count] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + count
    const [first] = outcome.violations
    if (first !== undefined) failures.push({ seed, ...first })
  }
  return { block, counts, failures }
}

process.on('message', (block: Block) => void run(block).then((result) => process.send?.(result)))
process.on('disconnect', () => process.exit())
process.send?.('ready')
