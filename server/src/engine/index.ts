export { backlogOf } from './backlog.ts'
export { type ChangedDelivery, deliveryChanges, outcomeChanges } from './changes.ts'
export { Dispatcher, type Limits, type Sendable } from './dispatcher.ts'
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
export { lockLanes, lockLanesOfAccount } from './lanes.ts'
export { abandonLeases, countDueLanes, type EventContent, type Target } from './lease.ts'
export { showBacklog } from './metrics.ts'
export { type AttemptOutcome, SLOW_MS } from './policy.ts'
export { purgeDeletedSites, removeDeliveriesOf, removeOldHistory } from './retention.ts'
export { addToRollUps, HOUR_MS, hourOf } from './roll-ups.ts'
export {
  type LatestDelivery,
  latestDeliveries,
  type StandingDelivery,
  standingsOf,
} from './states.ts'
export { replaceUntried, withdraw } from './supersede.ts'
export { DELIVERY_STATUSES, type DeliveryStatus, EVENT_KINDS, type EventKind, type HistoryEntry } from './tables.ts'
export { claimFromWorkers, doWorkersLive, Worker } from './workers.ts'
