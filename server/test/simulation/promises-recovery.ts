/** What is promised of sites that recover by themselves: they get what failed, with care. */
import { type Evidence, mayGoUnrecorded, type Violation } from './promises.ts'
import { RECOVERY_PACE, type Resent } from './world.ts'

/** The promises that recoveries broke. */
export async function checkRecovery(evidence: Evidence): Promise<Violation[]> {
  const { world, byId } = evidence
  const hooks = new Set(world.network.builds.map(({ siteId }) => siteId))
  // A recovery may go on while somebody asks the same process for another post.
  const isOwn = ({ by, ids, asked }: Resent) =>
    by === 'recovery' || (by === 'hand' && ids.some((id) => !asked.includes(byId.get(id)?.post_id ?? '')))
  const own = world.resent.filter((one) => isOwn(one) && !hooks.has(one.siteId))
  world.count('probes', world.network.probes.length)
  world.count('deliveries sent again by recoveries', own.flatMap(({ ids }) => ids).length)
  const bySite = Map.groupBy(own, ({ siteId }) => siteId)
  return [...[...bySite.values()].flatMap((resent) => withCare(evidence, resent)), ...(await level(evidence))]
}

/**
 * At most one a second is queued again until some have arrived since the last refusal, and after a refusal none, unless the site has accepted
 * something since. Whoever takes over after a crash does not know when the last was queued.
 */
function withCare(evidence: Evidence, resent: readonly Resent[]): Violation[] {
  const { world, posts, troubles } = evidence
  const { everyMs, careful } = RECOVERY_PACE
  return resent.flatMap(({ at, siteId, ids }, index) => {
    const before = resent.slice(0, index)
    const attempts = before.flatMap((one) =>
      one.ids.flatMap((id) => posts.get(id) ?? []).filter(({ startedAt }) => startedAt > one.at),
    )
    const results = attempts
      .filter(({ settled }) => settled?.as === 'recorded' && settled.at <= at)
      .toSorted((a, b) => (a.settled?.at ?? 0) - (b.settled?.at ?? 0))
    const refusal = results.findLast(({ ok }) => !ok)
    // The connection was lost while it was recorded: the database may have it although the worker does not know.
    const maybeRecorded = attempts.filter(
      (one) =>
        one.ok &&
        one.settled === undefined &&
        (one.endedAt ?? at) < at &&
        one.startedAt > (refusal?.startedAt ?? 0) &&
        mayGoUnrecorded(evidence, one),
    )
    const arrived =
      results.slice(refusal === undefined ? 0 : results.indexOf(refusal) + 1).length + maybeRecorded.length
    const wrong = (detail: string) => [
      {
        promise: 'recovery: with care',
        detail: `${ids.length} to ${siteId} queued again at ${at.toFixed(1)} ${detail}`,
      },
    ]
    const last = before.at(-1)
    world.count('recoveries checked')
    if (arrived >= careful) world.count('recoveries checked after the careful part')
    else if (ids.length > 1) return wrong(`after ${arrived} had arrived`)
    else if (
      last !== undefined &&
      at - last.at < everyMs &&
      !troubles.some((one) => one >= last.at - everyMs && one <= at)
    )
      return wrong(`${(at - last.at).toFixed(1)} ms after the last`)
    if (refusal?.settled === undefined || arrived > 0) return []
    const accepted = [...world.network.posts, ...world.network.probes].some(
      (one) =>
        one.siteId === siteId &&
        one.acknowledgedAt !== undefined &&
        one.acknowledgedAt >= refusal.startedAt &&
        one.acknowledgedAt <= at,
    )
    return accepted ? [] : wrong('after a refusal')
  })
}

/** When all is well, sites that recover by themselves lack nothing. A build hook waits for the next publication. */
async function level({ world }: Evidence): Promise<Violation[]> {
  const left = await world.database.look<{ id: string; site_id: string }>(`
    select d.id, d.site_id from deliveries d join endpoints e on e.site_id = d.site_id
    where e.recovers and e.debounce_seconds is null and not e.paused and e.deleted_at is null
      and d.status = 'failed' and d.last_error is distinct from 'superseded'
      and not exists (select from deliveries n where n.post_id = d.post_id and n.site_id = d.site_id and n.sequence > d.sequence)
    order by d.id`)
  return left.map(({ id, site_id }) => ({
    promise: 'recovery: level in the end',
    detail: `${id} has failed, and ${site_id} is well`,
  }))
}
