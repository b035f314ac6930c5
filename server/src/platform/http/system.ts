import type { Hono } from 'hono'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Loop } from '../loop.ts'
import type { Bindings } from './pipeline.ts'

/** What the service's own routes report on. */
export type SystemFacts = {
  db: Database
  document: () => unknown
  loops: () => Array<ReturnType<Loop['status']>>
  stopping: () => boolean
}

/** Routes beside the API: is the process alive, is it ready for work, and the API's own description. */
export function systemRoutes({ db, document, loops, stopping }: SystemFacts): (app: Hono<Bindings>) => void {
  return (app) => {
    app.get('/healthz', (c) => c.json({ status: 'ok' }))
    app.get('/readyz', async (c) => {
      const problems = stopping()
        ? ['the service is stopping']
        : [...(await databaseProblems(db)), ...loops().flatMap(loopProblems)]
      return problems.length === 0 ? c.json({ status: 'ready' }) : c.json({ status: 'not_ready', problems }, 503)
    })
    app.get('/openapi.json', (c) => c.json(document() as object))
  }
}

async function databaseProblems(db: Database): Promise<string[]> {
  try {
    await sql`select 1`.execute(db.root)
    return []
  } catch {
    return ['the database does not answer']
  }
}

function loopProblems({ name, running, failing }: ReturnType<Loop['status']>): string[] {
  if (!running) return [`the loop ${name} does not run`]
  return failing === undefined ? [] : [`the loop ${name} fails`]
}
