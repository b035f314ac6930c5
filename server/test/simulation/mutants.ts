/** Breaks the engine on purpose, one line at a time, to show that the simulation notices. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { AUDIENCES } from './mutants/audiences.ts'
import { BUILDS } from './mutants/builds.ts'
import { ORDER } from './mutants/order.ts'
import { OWNERSHIP } from './mutants/ownership.ts'
import { RECOVERY } from './mutants/recovery.ts'
import { RESULTS } from './mutants/results.ts'

/** One way to break the engine: `from` occurs once in the file and becomes `to`. */
export type Mutant = {
  name: string
  file: string
  from: string
  to: string
  /** Why the simulation cannot notice it; such a mutant is expected to survive. */
  survives?: string
  /** The test that notices it where the simulation cannot. */
  test?: string
}

/** All ways to break it. */
export const MUTANTS: readonly Mutant[] = [...OWNERSHIP, ...ORDER, ...RESULTS, ...BUILDS, ...RECOVERY, ...AUDIENCES]

const ROOT = resolve(import.meta.dirname, '../../..')

/** How often the code contains what the mutant replaces; it must be once. */
export async function fits(mutant: Mutant): Promise<number> {
  return (await readFile(join(ROOT, 'server/src', mutant.file), 'utf8')).split(mutant.from).length - 1
}

/** A copy of the service and of its simulation with the engine broken; `remove` deletes it. Throws when the mutant does not fit. */
export async function checkOut(mutant: Mutant): Promise<{ directory: string; remove(): Promise<void> }> {
  if ((await fits(mutant)) !== 1)
    throw new Error(`"${mutant.name}" does not fit ${mutant.file} any more: mend its \`from\`.`)
  const directory = await mkdtemp(join(tmpdir(), 'postrider-mutant-'))
  for (const part of [
    'package.json',
    'server/package.json',
    'server/src',
    'server/test/support',
    'server/test/simulation',
    ...(mutant.test === undefined ? [] : ['vitest.config.ts', 'scripts/test', mutant.test]),
  ])
    await cp(join(ROOT, part), join(directory, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  const path = join(directory, 'server/src', mutant.file)
  const source = await readFile(path, 'utf8')
  await writeFile(
    path,
    source.replace(mutant.from, () => mutant.to),
  )
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}
