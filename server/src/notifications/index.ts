export { removeChannels, resealChannels } from './channels.ts'
export type { Named, NotificationEvent } from './events.ts'
export { notificationRoutes } from './routes.ts'
export { messageJobs, notify, verificationJobs } from './send.ts'
