import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Loop } from '../loop.ts'
import type { SystemRoute } from './pipeline.ts'

/** What the service's own routes report on. */
export type SystemFacts = {
  db: Database
  loops: () => Array<ReturnType<Loop['status']>>
  stopping: () => boolean
  /** Whether there is a web application for people. */
  hasWebApp: boolean
}

/** For programs, and for people where there is no web application. */
const WELCOME = {
  name: 'Postrider',
  api: '/api',
  reference: '/docs',
  description: '/openapi.json',
  first: 'POST /api/auth/register',
}
const NOT_BUILT = { ...WELCOME, dashboard: 'Not built. Run "npm run build" and start the service again.' }

/** A database that has not answered by then is as good as away. */
const PATIENCE_MS = 2_000

/** Routes beside the API: is the process alive, is it ready for work, and where to look next. */
export function systemRoutes({ db, loops, stopping, hasWebApp }: SystemFacts): SystemRoute[] {
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
    { path: '/', answer: async () => ({ status: 200, body: hasWebApp ? WELCOME : NOT_BUILT }) },
    { path: '/api', answer: async () => ({ status: 200, body: WELCOME }) },
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
