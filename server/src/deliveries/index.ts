export { backlogOf } from './backlog.ts'
export { type Confirmation, confirmDelivered, recordPulled, recordSiteFailure } from './confirm.ts'
export { Dispatcher, type Limits } from './dispatcher.ts'
export {
  activeSites,
  addEndpoint,
  changeEndpoint,
  type EndpointState,
  endpointStates,
  openSecret,
  pausedSites,
  retireEndpoint,
  secretPlace,
} from './endpoints.ts'
export { enqueueEvents, type NewEvent, recordEvent } from './enqueue.ts'
export { exampleDeliveryId, examplePost, exampleSecret, exampleSite } from './examples.ts'
export { handover } from './handover.ts'
export {
  type DeliveryRecord,
  deliveriesOfPost,
  type FailedDelivery,
  failedDeliveries,
  type Granularity,
  isForgotten,
  keepsHistoryOf,
  type Period,
  type Sums,
  sumBySite,
  sumByTime,
} from './history.ts'
export { lockLanesOfAccount } from './lanes.ts'
export { abandonLeases, areLanesHeld, countDueLanes } from './lease.ts'
export {
  type DeliveryDetails,
  deliveryDetails,
  deliveryLog,
  failuresToRepeat,
  type LogFilter,
  type LoggedDelivery,
  lastTitles,
} from './log.ts'
export { showBacklog } from './metrics.ts'
export { BodyForms, DeliveryStatus, EventName, Meta, PublishedPost, RichText } from './payload.ts'
export type { AttemptResult } from './policy.ts'
export { claimFromWorkers, doWorkersLive, joinWorkers, type Membership } from './presence.ts'
export {
  type LatestDelivery,
  latestDeliveries,
  type StandingDelivery,
  standingsOf,
} from './queries.ts'
export { hurry, MOST_REQUEUED, requeueFailed } from './requeue.ts'
export { resealWebhookSecrets, unopenedSecrets } from './reseal.ts'
export { purgeDeletedSites, removeDeliveriesOf, removeOldHistory } from './retention.ts'
export { createWebhookSecret } from './sign.ts'
export { replaceUntried, withdraw } from './supersede.ts'
export type { EventKind, HistoryEntry } from './tables.ts'
export { sendTest } from './test-send.ts'
export { webhooks } from './webhooks.ts'
