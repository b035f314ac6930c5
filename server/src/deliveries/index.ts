export { backfillRoutes } from './backfill.ts'
export { checkPagesRoutes } from './check-pages.ts'
export { exampleDeliveryId } from './examples.ts'
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
export {
  type DeliveryDetails,
  deliveryDetails,
  deliveryLog,
  failuresToRepeat,
  type LogFilter,
  type LoggedDelivery,
  lastTitles,
} from './log.ts'
export { expectBuild, expectPages, lookJobs } from './receipts.ts'
export { type RecoveryPace, siteRecovery } from './recovery.ts'
export { hurry, MOST_REQUEUED, requeueFailed } from './requeue.ts'
export { resendRoutes } from './resend.ts'
export { testDeliveryRoutes } from './test-delivery.ts'
export { troubleshoot } from './troubleshooting.ts'
export { webhooks } from './webhooks.ts'
export { whyLastFailed } from './why-failed.ts'
