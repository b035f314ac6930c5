export { backlogOf } from './backlog.ts'
export { type Confirmation, confirmDelivered, recordPulled, recordSiteFailure } from './confirm.ts'
export { Dispatcher } from './dispatcher.ts'
export {
  addEndpoint,
  changeEndpoint,
  type EndpointState,
  endpointStates,
  openSecret,
  retireEndpoint,
} from './endpoints.ts'
export { enqueueEvents, recordEvent } from './enqueue.ts'
export {
  type DeliveryRecord,
  deliveriesOfPost,
  type FailedDelivery,
  failedDeliveries,
  type Granularity,
  type Period,
  type Sums,
  sumBySite,
  sumByTime,
} from './history.ts'
export { abandonLeases, countDueLanes } from './lease.ts'
export type { AttemptResult } from './policy.ts'
export { claimFromWorkers, joinWorkers } from './presence.ts'
export type { LatestDelivery } from './queries.ts'
export { latestDeliveries } from './queries.ts'
export { requeueFailed } from './requeue.ts'
export { resealWebhookSecrets } from './reseal.ts'
export { purgeDeletedSites } from './retention.ts'
export { createWebhookSecret } from './sign.ts'
export type { EventKind } from './tables.ts'
export { sendTest } from './test-send.ts'
