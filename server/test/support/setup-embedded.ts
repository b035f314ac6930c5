import type { TestProject } from 'vitest/node'
import { embeddedTemplates } from './embedded-templates.ts'

/**
 * Every test starts its databases from the snapshot of a migrated one. Those that start processes copy one that was only created, which
 * takes seconds.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { snapshot, created, remove } = await embeddedTemplates()
  project.provide('database', { kind: 'embedded', snapshot, created })
  return remove
}
