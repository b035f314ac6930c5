export * from './client.ts'
export { PostriderError } from './errors.ts'
export * from './webhooks.ts'
