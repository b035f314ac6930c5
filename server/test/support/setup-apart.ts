import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import setupPostgres from './setup-postgres.ts'

/** The setup for PostgreSQL, plus a directory for what the processes of a service share: their clocks and compiled code. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-apart-'))
  const teardown = await setupPostgres(project)
  project.provide('apart', { dir })
  return async () => {
    await teardown()
    await rm(dir, { recursive: true, force: true })
  }
}
