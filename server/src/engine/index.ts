export { backlogOf } from './backlog.ts'
export { type ChangedDelivery, deliveryChanges, outcomeChanges } from './changes.ts'
export { askForProbe, PROBE_JOB } from './comeback.ts'
export { type Confirmation, confirmDelivered, recordPulled, recordSiteFailure } from './confirm.ts'
export { NEXT_ATTEMPT } from './debounce.ts'
export { Dispatcher, type Limits, type Sendable } from './dispatcher.ts'
export {
  addEndpoint,
  changeEndpoint,
  type EndpointState,
  endpointStates,
  isConnected,
  isForgotten,
  keepsHistoryOf,
  openSecret,
  pausedSites,
  retireEndpoint,
  secretAssociatedData,
} from './endpoints.ts'
export { enqueueEvents, type NewEvent, recordEvent } from './enqueue.ts'
export { takeTroubles } from './health.ts'
export { lockLanes, lockLanesOfAccount } from './lanes.ts'
export { abandonLeases, countDueLanes, type EventContent, type Target } from './lease.ts'
export { saidUrls } from './live-urls.ts'
export { showBacklog } from './metrics.ts'
export { forgetSkipped, isUnrepaired, skippedPosts, skipSites } from './missing.ts'
export { IS_NOT_LIVE, LOOK_JOB, lookAgain, lookAt, lookJob, postsNotSeen, sitesNotLive } from './not-live.ts'
export { type AttemptOutcome, lateBySeconds, SLOW_MS } from './policy.ts'
export { resealSecrets, unopenedSecrets } from './reseal.ts'
export { purgeDeletedSites, removeDeliveriesOf, removeOldHistory } from './retention.ts'
export { HOUR_MS, hourOf } from './roll-ups.ts'
export type { LiveUrl, SiteOutcome } from './settle.ts'
export {
  type LatestDelivery,
  latestDeliveries,
  type StandingDelivery,
  standingsOf,
} from './states.ts'
export { replaceUntried, withdraw } from './supersede.ts'
export type { EventKind, HistoryEntry, LiveCheck } from './tables.ts'
export { DeliveryStatus, EventName, Live, presentLive } from './wire.ts'
export { claimFromWorkers, doWorkersLive, Worker } from './workers.ts'
