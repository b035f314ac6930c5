import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type DatabaseState, stateOfDatabase } from '../db/state.ts'
import { SAMPLE_SITE } from '../installation.ts'
import type { Loop } from '../loop.ts'
import type { SystemRoute } from './pipeline.ts'

/** What the service's own routes report on. */
export type SystemFacts = {
  db: Database
  config: Pick<Config, 'mail' | 'registration' | 'role' | 'webhookAllow'>
  loops: () => Array<ReturnType<Loop['status']>>
  stopping: () => boolean
  /** Whether there is a web application for people. */
  hasWebApp: boolean
}

/**
 * Where to look next: for programs, and for people where there is no web application. `sample_site`, which the dashboard offers, is
 * there only if this service may send to its own machine; `mail` says whether it sends mail, so that a forgotten password can be replaced.
 */
function welcome({ mail, registration, role, webhookAllow }: SystemFacts['config']): object {
  const name = 'Postrider'
  if (role === 'worker') return { name, role, ready: '/readyz', metrics: '/metrics' }
  const first = registration === 'open' ? 'POST /api/auth/register' : 'POST /api/auth/login'
  const sample = webhookAllow === 'loopback' ? { sample_site: SAMPLE_SITE } : {}
  return {
    name,
    api: '/api',
    reference: '/docs',
    description: '/openapi.json',
    registration,
    mail: mail !== undefined,
    first,
    ...sample,
  }
}

const NOT_BUILT = 'Not built. Run "npm run build" and start the service again.'

/** Routes beside the API: liveness, readiness, and where to look next. */
export function systemRoutes({ db, config, loops, stopping, hasWebApp }: SystemFacts): SystemRoute[] {
  const card = welcome(config)
  const root = hasWebApp || config.role === 'worker' ? card : { ...card, dashboard: NOT_BUILT }
  // Anybody may ask, as often as they like: those who ask while the database is being asked get the same answer.
  let asking: Promise<DatabaseState> | undefined
  const stateNow = () => {
    asking ??= stateOfDatabase(db).finally(() => {
      asking = undefined
    })
    return asking
  }
  return [
    {
      path: '/healthz',
      async answer(_, progress) {
        progress.probe = true
        return { status: 200, body: { status: 'ok' } }
      },
    },
    {
      path: '/readyz',
      async answer(_, progress) {
        progress.probe = true
        const problems = stopping() ? ['the service is stopping'] : problemsOf(await stateNow(), loops())
        const warnings = loops().flatMap(loopWarnings)
        const also = warnings.length === 0 ? {} : { warnings }
        if (problems.length === 0) return { status: 200, body: { status: 'ready', ...also } }
        progress.problem = problems.join('; ')
        return { status: 503, body: { status: 'not_ready', problems, ...also } }
      },
    },
    { path: '/', answer: async () => ({ status: 200, body: root }) },
    { path: '/api', answer: async () => ({ status: 200, body: card }) },
  ]
}

const DATABASE_PROBLEMS: Record<DatabaseState, string[]> = {
  ready: [],
  'read-only': ['the database is read-only'],
  full: ['the disk of the database is full'],
  away: ['the database does not answer'],
}

function problemsOf(state: DatabaseState, loops: Array<ReturnType<Loop['status']>>): string[] {
  return [...DATABASE_PROBLEMS[state], ...loops.flatMap(loopProblems)]
}

function loopProblems({ name, running, failing, housekeeping }: ReturnType<Loop['status']>): string[] {
  if (!running) return [`the loop ${name} is not running`]
  return failing === undefined || housekeeping ? [] : [`the loop ${name} is failing`]
}

/** What is no reason to send requests elsewhere: housekeeping that fails here fails in every process. */
function loopWarnings({ name, failing, housekeeping }: ReturnType<Loop['status']>): string[] {
  return failing !== undefined && housekeeping ? [`the loop ${name} is failing`] : []
}
