/** What is promised of build hooks: one request serves everything that waits, and the next comes once the debounce is over. */
import type { Build } from './network.ts'
import { type Evidence, mayGoUnrecorded, mayOverlap, type Violation } from './promises.ts'

/** The promises that requests to build hooks broke. */
export function checkBuilds(evidence: Evidence): Violation[] {
  const { world } = evidence
  const { builds } = world.network
  world.count('builds', builds.length)
  world.count('builds that served several', builds.filter(({ served }) => served.length > 1).length)
  return [...Map.groupBy(builds, ({ siteId }) => siteId)].flatMap(([siteId, own]) => [
    ...own.flatMap((build, index) => [
      ...oncePerDebounce(evidence, build, own.slice(0, index)),
      ...onRecord(evidence, build),
      ...nothingNewer(evidence, build),
      ...everythingOlder(evidence, build),
    ]),
    ...leasedForReasons(evidence, siteId),
  ])
}

function broken(promise: string, { siteId, startedAt }: Build, detail: string): Violation[] {
  return [{ promise: `builds: ${promise}`, detail: `the build of ${siteId} at ${startedAt.toFixed(1)} ${detail}` }]
}

/** Whether one of these things was asked of the site, or of posts, in this time. */
function wasAsked({ world }: Evidence, siteId: string, what: RegExp, from: number, to: number): boolean {
  return world.clients.calls.some(
    (call) =>
      (call.siteId ?? siteId) === siteId &&
      what.test(call.what) &&
      call.from <= to &&
      (call.to ?? Number.POSITIVE_INFINITY) >= from,
  )
}

/** Builds never overlap, and none starts within the debounce after one that was recorded. */
function oncePerDebounce(evidence: Evidence, build: Build, before: readonly Build[]): Violation[] {
  const { world } = evidence
  const overlapped = before.find(
    (one) =>
      Math.min(one.endedAt ?? Number.POSITIVE_INFINITY, one.process.diedAt ?? Number.POSITIVE_INFINITY) >
      build.startedAt,
  )
  if (overlapped !== undefined && !mayOverlap(overlapped, build))
    return broken('one at a time', build, 'overlaps another')
  const recordedAt = before.findLast(({ served }) => served.some(({ settled }) => settled?.as === 'recorded'))?.endedAt
  const { debounceSeconds } = build
  if (recordedAt === undefined || typeof debounceSeconds !== 'number') return []
  if (wasAsked(evidence, build.siteId, /kind/, recordedAt, build.startedAt)) return []
  world.count('debounces checked')
  const earlyMs = recordedAt + debounceSeconds * 1_000 - build.startedAt
  return earlyMs > 0 ? broken('one per debounce', build, `comes ${earlyMs.toFixed(1)} ms too early`) : []
}

/** A build has a record unless something broke, or what it was for had ended in another way. */
function onRecord(evidence: Evidence, build: Build): Violation[] {
  const { siteId, startedAt, endedAt = Number.POSITIVE_INFINITY, served } = build
  if (served.length > 0 || mayGoUnrecorded(evidence, { ...build, settled: undefined })) return []
  if (wasAsked(evidence, siteId, /confirm|delete the site/, startedAt - 1_000, endedAt + 1_000)) return []
  return broken('bounded duplicates', build, 'has no record, and nothing broke')
}

/** A build settles nothing that was recorded after its request went out. */
function nothingNewer({ world, byId }: Evidence, build: Build): Violation[] {
  if (!world.clocksAgree) return []
  const newer = build.served.find(
    ({ deliveryId, settled }) =>
      settled?.as === 'recorded' && (byId.get(deliveryId)?.created_at ?? 0) - world.epoch > build.startedAt,
  )
  return newer === undefined ? [] : broken('nothing newer', build, `settled ${newer.deliveryId}, which came later`)
}

/** The time that the transaction of a change takes at most where nothing breaks. */
const LONGEST_CHANGE_MS = 1_000

/** A build that is accepted settles everything that was recorded before its lane was leased, also what waits for a retry. */
function everythingOlder(evidence: Evidence, build: Build): Violation[] {
  const { world, deliveries } = evidence
  const { siteId, process, startedAt, endedAt, served } = build
  if (!world.story.calm || !build.ok || endedAt === undefined) return []
  const leasedAt =
    world.taken.findLast((one) => one.siteId === siteId && one.process === process && one.at <= startedAt)?.at ?? 0
  if (wasAsked(evidence, siteId, /retry|confirm/, leasedAt, endedAt)) return []
  const settled = new Set(served.map(({ deliveryId }) => deliveryId))
  const wasQueuedAgain = (id: string) => world.resent.some(({ ids, at }) => at >= leasedAt && ids.includes(id))
  const left = deliveries.find(
    (one) =>
      one.site_id === siteId &&
      one.created_at - world.epoch < leasedAt - LONGEST_CHANGE_MS &&
      (one.finished_at ?? 0) - world.epoch >= endedAt &&
      !settled.has(one.id) &&
      !wasQueuedAgain(one.id) &&
      one.last_error !== 'superseded' &&
      one.last_error !== 'site_deleted',
  )
  world.count('builds checked for what they serve')
  return left === undefined ? [] : broken('everything older', build, `was accepted and left ${left.id} pending`)
}

/** A lane that waits for its debounce to be over is left alone: nobody leases it again and again. */
function leasedForReasons({ world, deliveries, posts }: Evidence, siteId: string): Violation[] {
  const leases = world.taken.filter((one) => one.siteId === siteId).length
  const reasons =
    deliveries.filter((one) => one.site_id === siteId).length +
    [...posts.values()].flat().filter((one) => one.siteId === siteId).length +
    world.network.builds.filter((one) => one.siteId === siteId).length +
    world.clients.calls.length +
    world.processes.length +
    world.losses.length
  if (leases <= reasons) return []
  const detail = `the lane of ${siteId} was leased ${leases} times for ${reasons} reasons`
  return [{ promise: 'builds: idle until due', detail }]
}
