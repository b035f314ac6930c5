/** Faults of the database under a running service. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startForgetfulProxy } from '../support/forgetful-proxy.ts'
import type { TestPostgres } from '../support/postgres/server.ts'
import { Load, type Outcome } from './load.ts'

const SECRET_KEY = 'a secret key for fault runs, long enough'

type Server = Pick<TestPostgres, 'url'>

/** What a service needs to run on the server. */
export const envFor = (postgres: Server) => ({
  DATABASE_URL: postgres.url,
  SECRET_KEY,
  DELIVERY_TIMEOUT: '2s',
  DELIVERY_RETRY_DELAYS: '1s,1s,1s',
  LOG_LEVEL: 'silent',
})

/** kill -9 of PostgreSQL under load, and a restart after a second, `times` times. The service keeps running. */
export async function databaseKills(postgres: TestPostgres, times: number): Promise<Outcome & { times: number }> {
  const { load, service } = await Load.start(envFor(postgres))
  await load.publishing(service, async () => {
    for (let time = 0; time < times; time += 1) {
      await sleep(1_000)
      await load.fault(async () => {
        await postgres.kill()
        await sleep(1_000)
        await postgres.restart()
        await sleep(1_000) // until the service has found it again
      })
    }
    await sleep(1_000)
  })
  const outcome = await load.outcome()
  await service.end('SIGTERM')
  await load.receiver.close()
  return { times, ...outcome }
}

/** All of the service's connections are ended under load, `times` times. `env` names the database. */
export async function connectionsEnded(
  env: Record<string, string> & { DATABASE_URL: string },
  times: number,
): Promise<Outcome & { times: number }> {
  const { load, service } = await Load.start({ ...env, DELIVERY_RETRY_DELAYS: '1s,1s,1s' })
  await load.publishing(service, async () => {
    for (let time = 0; time < times; time += 1) {
      await sleep(500)
      await load.fault(async () => {
        await administer(
          { url: env.DATABASE_URL },
          `select pg_terminate_backend(pid) from pg_stat_activity
           where pid <> pg_backend_pid() and datname = current_database() and backend_type = 'client backend'`,
        )
        await sleep(500)
      })
    }
  })
  const outcome = await load.outcome()
  await service.end('SIGTERM')
  await load.receiver.close()
  return { times, ...outcome }
}

/**
 * Every connection to the database falls silent under load, as after an unannounced failover; new ones work at once. The service
 * goes on without a restart: `pause` is how long nothing was delivered, in seconds.
 */
export async function connectionsSilent(postgres: Server): Promise<Outcome & { pause: number }> {
  const proxy = await startForgetfulProxy(postgres.url)
  const { load, service } = await Load.start({ ...envFor(postgres), DATABASE_URL: proxy.url })
  await load.publishing(service, async () => {
    await sleep(3_000)
    await load.fault(async () => {
      proxy.forget()
      await sleep(50_000)
    })
    await sleep(3_000)
  })
  const outcome = await load.outcome()
  await service.end('SIGTERM')
  await proxy.close()
  await load.receiver.close()
  return { ...outcome, pause: Number(load.longestPause().toFixed(1)) }
}

/**
 * Every connection of the pool waits for a lock that another client holds for `seconds`. Meanwhile requests are refused with
 * 503 and `Retry-After` and the process stays alive; afterwards everything goes on.
 */
export async function poolExhausted(
  postgres: Server,
  seconds: number,
): Promise<Outcome & { seconds: number; unavailable: number; otherErrors: number }> {
  const { load, service } = await Load.start(envFor(postgres))
  const client = load.client(service)
  await load.publish(client)
  const answers = new Map<number, number>()
  await load.fault(async () => {
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('begin; lock table posts in access exclusive mode')
    const until = performance.now() + seconds * 1_000
    const ask = async () => {
      while (performance.now() < until) {
        const { status } = await fetch(`${service.url}/readyz`)
        answers.set(status, (answers.get(status) ?? 0) + 1)
        await sleep(50)
      }
    }
    const listing = Array.from({ length: 40 }, () =>
      client.posts.list().then(
        () => 200,
        (error) => error.status ?? 0,
      ),
    )
    await ask()
    await admin.query('rollback')
    await admin.end()
    for (const status of await Promise.all(listing)) answers.set(status, (answers.get(status) ?? 0) + 1)
  })
  await load.publishing(service, () => sleep(1_000))
  const outcome = await load.outcome()
  const code = await service.end('SIGTERM')
  await load.receiver.close()
  const others = [...answers].filter(([status]) => ![200, 503].includes(status))
  return {
    seconds,
    ...outcome,
    unavailable: answers.get(503) ?? 0,
    otherErrors: others.reduce((sum, [, count]) => sum + count, 0) + (code === 0 ? 0 : 1),
  }
}

/** The deliveries and attempts on record in the database. */
export async function countAttempts(
  postgres: Server,
): Promise<{ deliveries: number; attempts: number; pending: number }> {
  const [row] = await administer(
    postgres,
    `select count(*)::int as deliveries, coalesce(sum(attempts), 0)::int as attempts,
      count(*) filter (where status = 'pending')::int as pending from deliveries`,
  )
  return row
}

async function administer(postgres: Server, sql: string) {
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  try {
    return (await admin.query(sql)).rows
  } finally {
    await admin.end()
  }
}
