export { attemptDelivery } from './attempt.ts'
export { type Confirmation, confirmDelivered, recordPulled, recordSiteFailure } from './confirm.ts'
export { exampleDeliveryId, examplePost, exampleSecret, exampleSite } from './examples.ts'
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
export {
  type DeliveryDetails,
  deliveryDetails,
  deliveryLog,
  failuresToRepeat,
  type LogFilter,
  type LoggedDelivery,
  lastTitles,
} from './log.ts'
export { BodyForms, DeliveryStatus, EventName, Meta, PublishedPost, RichText } from './payload.ts'
export { hurry, MOST_REQUEUED, requeueFailed } from './requeue.ts'
export { resealWebhookSecrets, unopenedSecrets } from './reseal.ts'
export { createWebhookSecret } from './sign.ts'
export { sendTest, type TestResult } from './test-send.ts'
export { webhooks } from './webhooks.ts'
