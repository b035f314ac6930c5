/** What goes wrong with sites: how it is seen, and what is told of it. */
import { whyLastFailed } from '../deliveries/index.ts'
import { type EndpointState, sitesNotLive, takeTroubles } from '../engine/index.ts'
import type { Named, NotificationEvent } from '../notifications/index.ts'
import type { Tx } from '../platform/db/database.ts'
import type { IncidentKindName } from './tables.ts'

/** A site in trouble. `isLasting`: it is now; `failures`: deliveries that failed since somebody last looked; `posts`: how many it concerns. */
export type SiteTrouble = {
  siteId: string
  accountId: string
  siteName: string
  isLasting: boolean
  failures: number
  posts: number
  /** What is wrong, and what to check: a sentence or two. */
  reason(): Promise<string | null>
}

/** A kind of incident. A site has one open incident of each at most. */
export type IncidentKind = {
  name: IncidentKindName
  /** Every site in such trouble. */
  find(tx: Tx): Promise<SiteTrouble[]>
  /** Whether a site that is in trouble no more is still on its way: that it is level again says more. */
  isComingBack(endpoint: EndpointState): boolean
  /** Whether the end of it is told. */
  isToldOf(endpoint: EndpointState): boolean
  begun(site: Named, about: { reason: string | null; posts: number; since: string }): NotificationEvent
  ended(site: Named, about: { missing: number; since: string; until: string }): NotificationEvent
}

/** The site does not accept posts. */
const failing: IncidentKind = {
  name: 'failing',
  find: async (tx) =>
    (await takeTroubles(tx)).map(({ isFailing, ...site }) => ({
      ...site,
      isLasting: isFailing,
      posts: 0,
      reason: () => whyLastFailed(tx, site.siteId),
    })),
  isComingBack: ({ recovers, missing }) => recovers && missing > 0,
  isToldOf: () => true,
  begun: (site, { reason, since }) => ({ name: 'site.failing', data: { site, reason, since } }),
  ended: (site, about) => ({ name: 'site.recovered', data: { site, ...about } }),
}

/** The site accepts posts, and does not show them. */
const notLive: IncidentKind = {
  name: 'not_live',
  find: async (tx) =>
    (await sitesNotLive(tx)).map(({ problem, ...site }) => ({
      ...site,
      isLasting: true,
      failures: 0,
      reason: async () => problem,
    })),
  isComingBack: () => false,
  isToldOf: ({ verifies }) => verifies,
  begun: (site, { reason, posts, since }) => ({ name: 'site.not_live', data: { site, posts, reason, since } }),
  ended: (site, { since, until }) => ({ name: 'site.live', data: { site, since, until } }),
}

export const INCIDENT_KINDS: readonly IncidentKind[] = [failing, notLive]
