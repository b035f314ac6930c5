import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Loop } from '../loop.ts'
import type { SystemRoute } from './pipeline.ts'

/** What the service's own routes report on. */
export type SystemFacts = {
  db: Database
  document: () => unknown
  loops: () => Array<ReturnType<Loop['status']>>
  stopping: () => boolean
}

/** For people who follow the address to see what is there. */
const WELCOME = { name: 'Postrider', api: '/api', description: '/openapi.json', first: 'POST /api/auth/register' }

/** A database that has not answered by then is as good as away. */
const PATIENCE_MS = 2_000

/** Routes beside the API: is the process alive, is it ready for work, and the API's own description. */
export function systemRoutes({ db, document, loops, stopping }: SystemFacts): SystemRoute[] {
  return [
    { path: '/healthz', answer: async () => ({ status: 200, body: { status: 'ok' } }) },
    {
      path: '/readyz',
      async answer() {
        const problems = stopping()
          ? ['the service is stopping']
          : [...(await databaseProblems(db)), ...loops().flatMap(loopProblems)]
        if (problems.length === 0) return { status: 200, body: { status: 'ready' } }
        return { status: 503, body: { status: 'not_ready', problems } }
      },
    },
    { path: '/', answer: async () => ({ status: 200, body: WELCOME }) },
    { path: '/api', answer: async () => ({ status: 200, body: WELCOME }) },
    { path: '/openapi.json', answer: async () => ({ status: 200, body: document() }) },
  ]
}

async function databaseProblems(db: Database): Promise<string[]> {
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const tooLong = new Promise<never>((_, reject) => patience.addEventListener('abort', reject, { once: true }))
  try {
    await Promise.race([sql`select 1`.execute(db.root), tooLong])
    return []
  } catch {
    return ['the database does not answer']
  }
}

function loopProblems({ name, running, failing }: ReturnType<Loop['status']>): string[] {
  if (!running) return [`the loop ${name} does not run`]
  return failing === undefined ? [] : [`the loop ${name} fails`]
}
