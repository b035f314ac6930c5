/** The order of the test files: without it the simulation, the last file of the last project, would run alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes minutes begins first. Everything else stays in the order of its projects, because workers are shared within one. */
const LONGEST = ['simulation/simulation.test.ts', 'test/commands.test.ts', 'test/process.test.ts', 'test/fuzz.test.ts']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
