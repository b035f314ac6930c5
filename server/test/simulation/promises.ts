/** Checks the promises against the journal of POSTs, the answers that the clients got, and the rows at the end. */
import type { HistoryEntry } from '../../src/engine/tables.ts'
import { isFor } from './clients.ts'
import { type Build, type Post, type Request, short } from './network.ts'
import { checkBuilds } from './promises-builds.ts'
import { checkRecovery } from './promises-recovery.ts'
import type { World } from './world.ts'
import { HINT_MS, LARGE, LEASE_MS, RETRY_DELAYS_MS, TIMEOUT_MS } from './world.ts'

/** A promise that was not kept. */
export type Violation = { promise: string; detail: string }

type Delivery = {
  id: string
  site_id: string
  post_id: string
  sequence: number
  kind: string
  bytes: number
  status: 'pending' | 'delivered' | 'delivered_retry' | 'failed'
  attempts: number
  created_at: number
  finished_at: number | null
  response_code: number | null
  response_time_ms: number | null
  last_error: string | null
  history: HistoryEntry[]
}

type Sums = { delivered: number; failed: number; retried: number; confirmed: number; delivered_ms: number }

/** What the checks look at. */
export type Evidence = {
  world: World
  deliveries: Delivery[]
  byId: Map<string, Delivery>
  /** The POSTs of each delivery, in the order in which they were sent. */
  posts: Map<string, Post[]>
  /** When something broke on our side, or the clock jumped. */
  troubles: number[]
}

/** The promises that were broken in a story that has ended. */
export async function checkPromises(world: World): Promise<Violation[]> {
  const evidence = await gather(world)
  count(evidence)
  return [
    ...nothingLost(evidence),
    ...delivered(evidence),
    ...boundedDuplicates(evidence),
    ...neverBackwards(evidence),
    ...notAfterConfirmation(evidence),
    ...notAfterRemoval(evidence),
    ...notBefore(evidence),
    ...promptly(evidence),
    ...schedules(evidence),
    ...checkBuilds(evidence),
    ...(await checkRecovery(evidence)),
    ...(await books(evidence)),
  ]
}

async function gather(world: World): Promise<Evidence> {
  const deliveries = await world.database.look<Delivery>(`
    select d.id, d.site_id, d.post_id, d.sequence, v.kind, v.payload_bytes as bytes, d.status, d.attempts, d.response_code, d.response_time_ms,
      d.last_error, d.history, (extract(epoch from d.created_at) * 1000)::float8 as created_at,
      (extract(epoch from d.finished_at) * 1000)::float8 as finished_at
    from deliveries d join events v on v.id = d.event_id order by d.post_id, d.site_id, d.sequence`)
  const cutOffs = world.processes.flatMap((one) => one.cutOffs.flatMap(({ from, heard, to }) => [from, heard, to]))
  const stops = world.processes.flatMap((one) => one.stops.flatMap(({ from, to }) => [from, to]))
  const deaths = world.processes.flatMap((one) => (one.diedAt === undefined ? [] : [one.diedAt, one.diedAt + LEASE_MS]))
  const silences = world.silences.flatMap(({ from, to }) => [from, to ?? world.agenda.now])
  return {
    world,
    deliveries,
    byId: new Map(deliveries.map((one) => [one.id, one])),
    // What a build was for is known only once it has a result.
    posts: Map.groupBy(
      world.network.posts.toSorted((a, b) => a.startedAt - b.startedAt),
      (one) => one.deliveryId,
    ),
    troubles: [...cutOffs, ...stops, ...deaths, ...silences, ...world.jumps.map(({ at }) => at), ...world.losses],
  }
}

function count({ world, deliveries }: Evidence): void {
  world.count('deliveries', deliveries.length)
  world.count('attempts', world.network.posts.length)
  for (const one of deliveries) {
    if (one.last_error === 'superseded') world.count(one.attempts === 0 ? 'superseded before an attempt' : 'superseded')
    else if (one.last_error === 'site_deleted') world.count('ended with their site')
    else if (one.status === 'failed') world.count('failed for good')
    else world.count('delivered')
  }
}

/** 1: every accepted call has its deliveries on record, to the right sites. */
function nothingLost({ world, deliveries, posts, byId }: Evidence): Violation[] {
  return world.clients.owed.flatMap(({ call, kind, siteIds }) => {
    world.count('publishes checked')
    const kinds: Array<string | undefined> = kind === 'post.updated' ? [kind, 'post.published'] : [kind]
    const { from, to = Number.POSITIVE_INFINITY } = call
    // If the clock jumps during a request, the time of the record may lie outside of the two walls, by the request's length at most.
    const slackMs = world.jumps.some(({ at }) => at >= from && at <= to) ? to - from : 1
    return siteIds.flatMap((siteId) => {
      const found = deliveries.some(
        (one) =>
          one.site_id === siteId &&
          one.post_id === call.postId &&
          (kind === undefined || kinds.includes(one.kind)) &&
          one.created_at >= Math.min(...call.walls) - slackMs &&
          one.created_at <= Math.max(...call.walls) + slackMs,
      )
      if (found) return []
      // Where the clock was put back, something newer may seem older; but it was not sent before the call was answered.
      const isOlder = ({ deliveryId, startedAt }: Post) =>
        startedAt <= to && (byId.get(deliveryId)?.created_at ?? 0) <= Math.max(...call.walls) + slackMs
      const sent = [...posts.values()].flat().filter((post) => post.siteId === siteId && post.postId === call.postId)
      if (kind === 'post.deleted' && !sent.some(isOlder)) {
        world.count('removals of what was never sent')
        return []
      }
      const what = `"${call.what}" of ${call.postId} at ${call.from.toFixed(1)} was accepted, but there is no ${kind ?? 'delivery'}`
      return [{ promise: '1 nothing accepted is lost', detail: `${what} for site ${siteId}` }]
    })
  })
}

/** 2: nothing is left pending, and each delivery's end agrees with its attempts. */
function delivered({ world, deliveries, posts }: Evidence): Violation[] {
  const confirmed = confirmations(world)
  const asked = world.clients.calls.filter(({ what, outcome }) => REMOVALS.has(what) && outcome !== 'refused')
  const withdrawn = new Set(asked.map(({ postId }) => postId))
  return deliveries.flatMap((one) => {
    const wrong = (detail: string) => [{ promise: '2 at least once', detail: `${one.id} ${detail}` }]
    const sent = posts.get(one.id) ?? []
    switch (one.status) {
      case 'pending':
        return wrong('is still pending when all is well')
      case 'failed': {
        if (one.last_error === 'superseded') {
          const newer = deliveries.some(
            (other) => other.site_id === one.site_id && other.post_id === one.post_id && other.sequence > one.sequence,
          )
          const wasNeverSent = one.attempts === 0 && sent.length === 0 && withdrawn.has(one.post_id)
          return newer || wasNeverSent ? [] : wrong('is superseded by nothing')
        }
        if (one.last_error === 'site_deleted') return []
        const recorded = sent.filter(({ settled }) => settled?.as === 'recorded')
        if (recorded.some(({ ok }) => ok)) return wrong('was answered 200 and ended as failed')
        return one.attempts >= 1 + RETRY_DELAYS_MS.length ? [] : wrong(`gave up after ${one.attempts} attempts`)
      }
      default: {
        const requests = [...sent, ...buildsOfUnknownUse(world, one)]
        const acknowledged = requests.some(({ acknowledgedAt }) => acknowledgedAt !== undefined)
        return acknowledged || confirmed(one) ? [] : wrong('counts as delivered, but its site never acknowledged it')
      }
    }
  })
}

/** Builds that may have served a delivery: if the answer to a commit is lost, nobody logs what was recorded. */
function buildsOfUnknownUse(world: World, { site_id }: Delivery): Build[] {
  return world.network.builds.filter(
    ({ siteId, served }) => siteId === site_id && !served.some(({ settled }) => settled?.as === 'recorded'),
  )
}

/** Whether a site may have confirmed the post of a delivery itself. */
function confirmations(world: World): (one: { site_id: string; post_id: string }) => boolean {
  const calls = world.clients.calls.filter(({ what, outcome }) => what === 'confirm' && outcome !== 'refused')
  const pairs = new Set(calls.map(({ siteId, postId }) => `${siteId} ${postId}`))
  return ({ site_id, post_id }) => pairs.has(`${site_id} ${post_id}`)
}

/** 3: one POST per recorded attempt, none after success; a POST without a record needs an excuse. */
function boundedDuplicates(evidence: Evidence): Violation[] {
  const { world, posts, byId } = evidence
  const confirmed = confirmations(world)
  const violations: Violation[] = []
  const wrong = (detail: string) => violations.push({ promise: '3 bounded duplicates', detail })
  for (const [id, sent] of posts) {
    const delivery = byId.get(id)
    if (delivery === undefined) {
      wrong(`${id} was sent and is not on record`)
      continue
    }
    const recorded = sent.filter(({ settled }) => settled?.as === 'recorded')
    const unrecorded = sent.filter(({ settled }) => settled?.as !== 'recorded')
    if (unrecorded.length > 0) world.count('POSTs whose result was not recorded', unrecorded.length)
    if (sent.length > delivery.attempts) world.count('repeated POSTs', sent.length - delivery.attempts)
    const ended = delivery.last_error === 'site_deleted' || confirmed(delivery)
    for (const post of unrecorded) {
      // It was withdrawn, and then its site deleted: nothing was owed any more, and the story has ended before the attempt.
      if (delivery.last_error === 'superseded' && post.endedAt === undefined) continue
      if (!ended && !mayGoUnrecorded(evidence, post))
        wrong(`${id}: the POST of ${post.startedAt.toFixed(1)} has no record, and nothing broke`)
    }
    const most = sent.length + buildsOfUnknownUse(world, delivery).length
    if (delivery.attempts < recorded.length || delivery.attempts > most)
      wrong(
        `${id}: ${delivery.attempts} attempts on record, ${sent.length} POSTs, ${recorded.length} of them acknowledged as recorded`,
      )
    const success = recorded.find(({ ok }) => ok)
    const after = sent.find((post) => success?.settled !== undefined && post.startedAt > success.settled.at)
    if (after !== undefined) wrong(`${id} was sent again at ${after.startedAt.toFixed(1)}, after it had been delivered`)
  }
  return violations
}

/** A result may be lost with its process, with an aborted attempt, or with a lease that something took away. */
export function mayGoUnrecorded({ troubles }: Evidence, post: Request & Pick<Post, 'settled'>): boolean {
  const { process, aborted, settled, startedAt } = post
  if (aborted || (process.diedAt !== undefined && !process.left)) return true
  const until = (settled?.at ?? Number.POSITIVE_INFINITY) + 1
  return troubles.some((at) => at >= startedAt - LEASE_MS && at <= until)
}

/** A process that is stopped or cut off does not end its attempt when another one takes over. */
export function mayOverlap(one: Request, other: Request): boolean {
  if (one.process === other.process) return false
  const { stops, cutOffs } = one.process
  const times = stops.flatMap(({ from, to }) => [from, to])
  return (
    times.some((at) => at >= one.startedAt - LEASE_MS && at <= other.startedAt) ||
    cutOffs.some(({ from, heard }) => one.startedAt <= heard && other.startedAt > from)
  )
}

/** 5: attempts of a post never overlap, and after an acknowledgement nothing older is sent. */
function neverBackwards({ posts, byId }: Evidence): Violation[] {
  const violations: Violation[] = []
  const sequenceOf = (post: Post) => byId.get(post.deliveryId)?.sequence ?? 0
  const lanes = Map.groupBy([...posts.values()].flat(), (post) => `${post.siteId} ${post.postId}`)
  for (const lane of lanes.values()) {
    const sent = lane.sort((a, b) => a.startedAt - b.startedAt)
    for (const [index, post] of sent.entries()) {
      for (const earlier of sent.slice(0, index)) {
        const ended = Math.min(
          earlier.endedAt ?? Number.POSITIVE_INFINITY,
          earlier.process.diedAt ?? Number.POSITIVE_INFINITY,
        )
        const isSameBuild = earlier.build !== undefined && earlier.build === post.build
        if (ended > post.startedAt && !isSameBuild && !mayOverlap(earlier, post))
          violations.push({
            promise: '5 no overlap',
            detail: `${short(post.deliveryId)} was sent at ${post.startedAt.toFixed(1)} while ${short(earlier.deliveryId)} of the same post was in flight`,
          })
        const acknowledged = (earlier.acknowledgedAt ?? Number.POSITIVE_INFINITY) <= post.startedAt
        if (acknowledged && sequenceOf(earlier) > sequenceOf(post))
          violations.push({
            promise: '5 never backwards',
            detail: `${short(post.deliveryId)} (event ${sequenceOf(post)}) was sent at ${post.startedAt.toFixed(1)} after ${short(earlier.deliveryId)} (event ${sequenceOf(earlier)}) had been acknowledged`,
          })
      }
    }
  }
  return violations
}

/** 5: what a site has confirmed by pulling counts as acknowledged; processes that did not take the confirmation learn it a moment later. */
function notAfterConfirmation({ world, deliveries, posts }: Evidence): Violation[] {
  if (!world.clocksAgree) return []
  return deliveries.filter(isPulled).flatMap((pulled) =>
    deliveries
      .filter(
        (one) => one.site_id === pulled.site_id && one.post_id === pulled.post_id && one.sequence < pulled.sequence,
      )
      .flatMap((older) => posts.get(older.id) ?? [])
      .filter((post) => post.wallAt > confirmedAt(world, pulled) + 100 + world.network.patience(post.process))
      .map((post) => ({
        promise: '5 never backwards',
        detail: `${short(post.deliveryId)} was sent at ${post.startedAt.toFixed(1)} after the site had confirmed ${short(pulled.id)}, which is newer`,
      })),
  )
}

const REMOVALS: ReadonlySet<string> = new Set(['unpublish', 'delete the post', 'change the audience'])

/**
 * 5: after a removal was answered nothing older of the post starts towards a site. Other processes learn of it by a NOTIFY, unless they are
 * stopped or deaf; what they start until then is followed by the removal.
 */
function notAfterRemoval({ world, posts, byId }: Evidence): Violation[] {
  return world.clients.removals.flatMap(({ call, sequence, siteIds }) => {
    const { process, postId, to = Number.POSITIVE_INFINITY } = call
    world.count('removals checked')
    const mayNotKnow = (post: Post) => {
      if (post.process === process) return false
      const isStopped = post.process.stops.some((stop) => stop.from <= to + HINT_MS && stop.to + 1 >= post.startedAt)
      return world.story.deaf > 0 || isStopped || post.startedAt <= to + HINT_MS + 1
    }
    return [...posts.values()].flat().flatMap((post) => {
      const event = byId.get(post.deliveryId)
      if (post.postId !== postId || event === undefined || event.kind === 'post.deleted') return []
      if (siteIds?.has(post.siteId) === false) return []
      if (post.startedAt <= to || event.sequence > sequence || mayNotKnow(post)) return []
      const what = `${short(post.deliveryId)} (event ${event.sequence}) was sent at ${post.startedAt.toFixed(1)}`
      return [
        {
          promise: '5 withdrawn is withdrawn',
          detail: `${what}, after "${call.what}" had been answered at ${to.toFixed(1)}`,
        },
      ]
    })
  })
}

/** When the confirmation was answered, by the wall clock. The row says when it began, but a process may be stopped in between. */
function confirmedAt(world: World, { site_id, post_id, finished_at }: Delivery): number {
  const began = finished_at ?? 0
  const call = world.clients.calls.find(
    ({ what, siteId, postId, walls: [from, to] }) =>
      what === 'confirm' && siteId === site_id && postId === post_id && from - 1 <= began && began <= to,
  )
  return call?.walls[1] ?? began
}

/** Whether a delivery was ended by the site's confirmation. */
function isPulled(one: Delivery): boolean {
  const answered = one.history.some(({ code }) => code === 200) || (one.attempts === 1 && one.response_code === 200)
  return one.status.startsWith('delivered') && !answered
}

/** 6: attempt n+1 is never early. A manual retry starts at once, and a build that is accepted serves what waits for a retry too. */
function notBefore({ world, posts }: Evidence): Violation[] {
  const retried = new Set(world.clients.calls.filter(({ what }) => what === 'retry').map(({ postId }) => postId))
  const resent = new Set(world.resent.flatMap(({ ids }) => ids))
  return [...posts.values()].flatMap((sent) =>
    sent.flatMap((post, index) => {
      const delay = RETRY_DELAYS_MS[(post.settled?.attempt ?? 0) - 1]
      const next = sent.slice(index + 1).find((one) => one.startedAt > (post.settled?.at ?? Number.POSITIVE_INFINITY))
      if (post.ok || delay === undefined || post.endedAt === undefined || next === undefined) return []
      if (
        post.settled?.as !== 'recorded' ||
        retried.has(post.postId) ||
        resent.has(post.deliveryId) ||
        (next.build?.ok ?? false)
      )
        return []
      world.count('delays checked')
      const early = post.endedAt + delay - next.startedAt
      if (early <= 0) return []
      return [{ promise: '6 not before', detail: `${post.deliveryId} was sent again ${early} ms too early` }]
    }),
  )
}

/** The poll interval, and time for statements to travel and for a step. */
const PROMPT_MS = 1_000 + 250

/**
 * 6 and 7: an attempt starts within a second of being due, whatever other sites do. Time during which a lane is held for
 * attempts to its own site does not count. Where the room for attempts and lanes is small, each other site may take a slot
 * for the second or two until it counts as slow; and a site that did not answer last time waits for the other suspects
 * before it, for one timeout. Where there is memory for one large content at a time, nothing is promised of posts
 * that have been large, nor of what stands behind them in a lane. Build hooks wait for their debounce.
 */
function promptly({ world, deliveries, posts, byId, troubles }: Evidence): Violation[] {
  const { story, clients } = world
  const largePosts = new Set(deliveries.filter(({ bytes }) => bytes > LARGE).map((one) => one.post_id))
  const bySite = Map.groupBy([...posts.values()].flat(), ({ siteId }) => siteId)
  const eventsOf = Map.groupBy(deliveries, (one) => one.site_id)
  const changed = clients.calls.filter(({ what }) => /site|keys|retry|confirm/.test(what))
  const hanging = (from: number, to: number, except: string) =>
    world.network.posts.some(
      (one) =>
        one.siteId !== except &&
        one.startedAt < to &&
        (one.endedAt ?? to) > from &&
        (one.endedAt ?? to) - one.startedAt > 1_000,
    )
  const wasSilent = ({ siteId, startedAt }: Post) =>
    (bySite.get(siteId) ?? [])
      .filter(({ endedAt }) => endedAt !== undefined && endedAt <= startedAt)
      .toSorted((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0))
      .at(-1)?.silent === true
  const isShort = story.room === 'tight' || story.room === 'crowded'
  const suspects = isShort ? world.network.posts.filter(wasSilent) : []
  const others = new Set(world.network.posts.map(({ siteId }) => siteId)).size - 1
  const patienceMs = PROMPT_MS + (isShort ? 2_200 * Math.ceil(others / 2) : 0)
  return [...posts.values()].flatMap((sent) =>
    sent.flatMap((post, index) => {
      const due = dueAt(world, byId.get(post.deliveryId), sent[index - 1])
      if (due === undefined || post.build !== undefined) return []
      const isBehindLarge = () =>
        (eventsOf.get(post.siteId) ?? []).some(
          (one) => one.bytes > LARGE && one.created_at - world.epoch < post.startedAt,
        )
      if (story.room === 'narrow' && (largePosts.has(post.postId) || isBehindLarge())) return []
      const calm = (from: number) =>
        !troubles.some((at) => at >= from - LEASE_MS && at <= post.startedAt) &&
        !changed.some(
          ({ siteId, from: asked, to = Number.POSITIVE_INFINITY, postId }) =>
            (siteId === post.siteId || postId === post.postId) && asked <= post.startedAt && to >= from,
        )
      if (!calm(due)) return []
      const held = [
        ...(bySite.get(post.siteId) ?? []),
        ...(wasSilent(post) ? suspects.filter(({ startedAt }) => startedAt <= due + TIMEOUT_MS) : []),
      ]
        .filter((one) => one !== post && one.startedAt <= post.startedAt)
        .flatMap((one) => [one.endedAt ?? 0, one.settled?.at ?? 0])
        .filter((at) => at >= due && at <= post.startedAt)
      const waited = post.startedAt - Math.max(due, ...held)
      world.count('starts checked')
      if (hanging(due, post.startedAt, post.siteId)) world.count('starts checked beside a site that hangs')
      if (waited <= patienceMs) return []
      return [
        {
          promise: '6 promptly',
          detail: `${post.deliveryId} was due at ${due.toFixed(1)} and sent ${waited.toFixed(1)} ms later than it could`,
        },
      ]
    }),
  )
}

/** When a POST was due, in the agenda's time; undefined if unknown. */
function dueAt(world: World, delivery: Delivery | undefined, before: Post | undefined): number | undefined {
  if (delivery === undefined || !world.clocksAgree) return undefined
  if (before === undefined) return delivery.created_at - world.epoch
  const delay = RETRY_DELAYS_MS[(before.settled?.attempt ?? 0) - 1]
  if (delay === undefined || before.settled?.as !== 'recorded' || before.endedAt === undefined) return undefined
  return before.endedAt + delay
}

/** 8: a scheduled post is published once, when its time has come. */
function schedules({ world, deliveries, troubles }: Evidence): Violation[] {
  return world.clients.scheduled.flatMap(({ postId, audience, wallAt, call, cancelled, sequenceBefore }) => {
    const events = Map.groupBy(
      deliveries.filter((one) => one.post_id === postId && one.sequence > sequenceBefore),
      (one) => one.sequence,
    )
    const wrong = (detail: string) => [
      {
        promise: '8 schedules',
        detail: `post ${postId}, scheduled for ${(wallAt - world.epoch).toFixed(1)}, ${detail}`,
      },
    ]
    if (cancelled) return []
    world.count('schedules checked')
    const steady = [...world.clients.byUrl.values()].filter(
      ({ siteId, paused, deleted }) =>
        isFor(audience, siteId) &&
        paused.is === false &&
        paused.since <= call.from &&
        deleted.is === false &&
        deleted.since <= call.from,
    )
    if (steady.length > 0 && events.size !== 1) return wrong(`was published ${events.size} times`)
    const [published = []] = events.values()
    const missing = steady.find(({ siteId }) => !published.some((one) => one.site_id === siteId))
    if (missing !== undefined) return wrong(`was not sent to ${missing.siteId}`)
    const late = Math.min(...published.map((one) => one.created_at)) - wallAt
    if (late < 0) return wrong(`was published ${-late} ms early`)
    const due = wallAt - world.epoch
    const calm = world.clocksAgree && !troubles.some((at) => at >= due - LEASE_MS && at <= due + late)
    return calm && published.length > 0 && late > PROMPT_MS ? wrong(`was published ${late} ms late`) : []
  })
}

const UNITS = [
  { name: 'hour', rollUp: 'delivery_hours', ms: 3_600_000 },
  { name: 'day', rollUp: 'delivery_days', ms: 24 * 3_600_000 },
] as const

const NOTHING: Sums = { delivered: 0, failed: 0, retried: 0, confirmed: 0, delivered_ms: 0 }

/** The sums that the service keeps, by site and beginning of the unit. */
async function sumsBy(world: World, { name, rollUp }: (typeof UNITS)[number]): Promise<Map<string, Sums>> {
  const rows = await world.database.look<Sums & { key: string }>(`
    select site_id || ' ' || (extract(epoch from start) * 1000)::bigint as key, sum(delivered)::int as delivered,
      sum(failed)::int as failed, sum(retried)::int as retried, sum(confirmed)::int as confirmed,
      sum(delivered_ms)::int as delivered_ms
    from (select site_id, ${name} as start, delivered, failed, retried, confirmed, delivered_ms from ${rollUp}) as sums
    group by 1`)
  return new Map(rows.map(({ key, ...sums }) => [key, sums]))
}

/** The sums that follow from deliveries. */
function expectedSums(deliveries: readonly Delivery[], unitMs: number): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const one of deliveries) {
    const key = `${one.site_id} ${Math.floor((one.finished_at ?? 0) / unitMs) * unitMs}`
    const before = sums.get(key) ?? NOTHING
    const arrived = one.status.startsWith('delivered')
    sums.set(key, {
      delivered: before.delivered + (arrived ? 1 : 0),
      failed: before.failed + (arrived ? 0 : 1),
      retried: before.retried + (one.attempts > 1 ? 1 : 0),
      confirmed: before.confirmed + (isPulled(one) ? 1 : 0),
      delivered_ms: before.delivered_ms + (arrived && !isPulled(one) ? (one.response_time_ms ?? 0) : 0),
    })
  }
  return sums
}

/** Whether a delivery counts in the sums: it has ended, but not as superseded or with its site. */
function counts({ status, last_error }: Delivery): boolean {
  if (status === 'failed') return last_error !== 'superseded' && last_error !== 'site_deleted'
  return status.startsWith('delivered')
}

/** 9: counters, sums and histories agree with what happened, nothing recorded twice. */
async function books({ world, deliveries, posts }: Evidence): Promise<Violation[]> {
  const violations: Violation[] = []
  const wrong = (detail: string) => violations.push({ promise: '9 books', detail })
  const lanes = await world.database.look<{ site_id: string; delivered: number; failed: number }>(
    'select site_id, delivered::int, failed::int from lanes order by site_id',
  )
  const counted = deliveries.filter(counts)
  for (const lane of lanes) {
    const own = counted.filter((one) => one.site_id === lane.site_id)
    const delivered = own.filter(({ status }) => status.startsWith('delivered')).length
    same(
      `lane of ${lane.site_id}`,
      { delivered: lane.delivered, failed: lane.failed },
      { delivered, failed: own.length - delivered },
    )
  }
  for (const unit of UNITS) {
    const written = await sumsBy(world, unit)
    const expected = expectedSums(counted, unit.ms)
    for (const key of new Set([...written.keys(), ...expected.keys()]))
      same(`sums of the ${unit.name} of ${key}`, written.get(key) ?? NOTHING, expected.get(key) ?? NOTHING)
  }
  for (const one of deliveries) {
    const immediate = one.attempts === 1 && one.response_code === 200
    if (one.history.length !== (immediate ? 0 : one.attempts))
      wrong(`${one.id} has ${one.attempts} attempts and a history of ${one.history.length}`)
    const numbers = (posts.get(one.id) ?? []).flatMap(({ settled }) =>
      settled?.as === 'recorded' ? [settled.attempt] : [],
    )
    if (new Set(numbers).size !== numbers.length) wrong(`${one.id} has an attempt recorded twice`)
  }
  return violations

  function same(what: string, found: object, expected: object): void {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      wrong(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
  }
}
