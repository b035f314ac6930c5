export { removeChannels, resealChannels } from './channels.ts'
export { notificationRoutes } from './routes.ts'
export { messageJobs, notify, verificationJobs } from './send.ts'
