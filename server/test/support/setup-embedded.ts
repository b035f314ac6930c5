import type { TestProject } from 'vitest/node'
import { embeddedTemplates } from './embedded-templates.ts'

/** Every test starts its databases from the snapshot of a migrated one. Those that start processes copy the directory of one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { snapshot, directory, remove } = await embeddedTemplates()
  project.provide('database', { kind: 'embedded', snapshot, directory })
  return remove
}
