/** Processor time, children that have ended included. */
import { readFileSync } from 'node:fs'

/** Linux counts what children used in ticks of this length, on every architecture. */
const TICK_MS = 10

/**
 * The processor time (ms) that this process has used so far, and its children that have ended. Only Linux tells about children; elsewhere
 * it is this process's own time.
 */
export function processorMs(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return (userCPUTime + systemCPUTime) / 1_000 + childrenMs()
}

function childrenMs(): number {
  if (process.platform !== 'linux') return 0
  // The second field, the program's name in parentheses, may contain spaces. cutime and cstime are fields 16 and 17.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS
}
