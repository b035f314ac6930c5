import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrations } from '../../src/migrations/index.ts'
import { createDatabase, createPostgresPool } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { startTestPostgres } from './postgres/server.ts'

/** Starts PostgreSQL and migrates a template database; every test file gets a copy of it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres()
  const template = `template_${process.pid}`
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`drop database if exists ${template}`)
  await admin.query(`create database ${template}`)
  const url = new URL(server.url)
  url.pathname = `/${template}`
  const db = createDatabase(
    createPostgresPool(url.href, { max: 2 }, () => {}),
    'postgres',
  )
  await migrate(db, migrations)
  await db.close()
  project.provide('database', { kind: 'postgres', adminUrl: server.url, template })
  return async () => {
    await admin.query(`drop database if exists ${template} with (force)`)
    await admin.end()
    await server.stop()
  }
}
