/** The engine's metrics. */
import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { stateOfDatabase } from '../platform/db/state.ts'
import type { Metrics } from '../platform/metrics.ts'
import { type AttemptResult, errorOf, isAccepted } from './policy.ts'

/** Counting further would keep the deliveries themselves waiting. */
const COUNTED = 100_000

/** Counts attempts by how they ended, and how long they took. */
export function attemptMetrics(metrics: Metrics): (result: AttemptResult) => void {
  const attempts = metrics.counter('postrider_attempts_total', 'Attempts by outcome: delivered, or the error code', [
    'outcome',
  ])
  const durations = metrics.durations(
    'postrider_attempt_duration_seconds',
    'Time from the start of an attempt to its outcome, in seconds',
    ['outcome'],
  )
  return (result) => {
    attempts.inc({ outcome: errorOf(result) ?? 'delivered' })
    durations.observe({ outcome: isAccepted(result) ? 'delivered' : 'failed' }, result.tookMs / 1000)
  }
}

/** What a process holds: lanes, those of them that are suspect, and how many attempts could start at once. */
export type Held = { lanes: number; suspects: number; freeAttempts: number }

/** Shows the backlog in the database, and what this process holds of it. */
export function showBacklog(ctx: Pick<Context, 'clock' | 'db' | 'metrics'>, held: () => Held): void {
  ctx.metrics.gauges(
    {
      postrider_deliveries_pending: `Deliveries that are not finished, counted up to ${COUNTED}`,
      postrider_oldest_due_seconds: 'How long the longest-waiting lane that is not suspect has been due, in seconds',
      postrider_lanes_due: 'Lanes that are due and not held, without suspect ones',
      postrider_suspects_due: 'Suspect lanes that are due and not held: they wait for each other',
      postrider_lanes_leased: 'Lanes that some process holds',
      postrider_lanes_suspect: 'Lanes whose site did not answer last time',
      postrider_database_up: 'Whether the database answers (1) or not (0)',
    },
    async () => {
      if ((await stateOfDatabase(ctx.db)) === 'away') return { postrider_database_up: 0 }
      const now = ctx.clock.inDatabase()
      const { rows } = await sql<{
        pending: number
        due: number
        suspectsDue: number
        leased: number
        suspects: number
        oldestMs: number | null
      }>`
        select
          (select count(*) from (select from deliveries where status = 'pending' limit ${COUNTED}) p) as pending,
          count(*) filter (where waits and not suspect) as due,
          count(*) filter (where waits and suspect) as "suspectsDue",
          count(*) filter (where not free) as leased,
          count(*) filter (where suspect) as suspects,
          (extract(epoch from ${now} - min(due_at) filter (where waits and not suspect)) * 1000)::float8 as "oldestMs"
        from (
          select *, free and due_at <= ${now} as waits
          from (select *, leased_until is null or leased_until <= ${now} as free from lanes) l
        ) l
      `.execute(ctx.db.root)
      const [row] = rows
      return {
        postrider_database_up: 1,
        postrider_deliveries_pending: row?.pending ?? 0,
        postrider_oldest_due_seconds: (row?.oldestMs ?? 0) / 1000,
        postrider_lanes_due: row?.due ?? 0,
        postrider_suspects_due: row?.suspectsDue ?? 0,
        postrider_lanes_leased: row?.leased ?? 0,
        postrider_lanes_suspect: row?.suspects ?? 0,
      }
    },
  )
  ctx.metrics.gauges(
    {
      postrider_held_lanes: 'Lanes that this process holds',
      postrider_held_suspects: 'Suspect lanes that this process holds',
      postrider_free_attempts: 'Attempts that this process could start now',
    },
    async () => {
      const { lanes, suspects, freeAttempts } = held()
      return {
        postrider_held_lanes: lanes,
        postrider_held_suspects: suspects,
        postrider_free_attempts: freeAttempts,
      }
    },
  )
}
