import type { LoggedDelivery } from '@postrider/sdk'

/** The names of events for people. */
export const EVENT_NAMES: Record<LoggedDelivery['event'], string> = {
  'post.published': 'Published',
  'post.updated': 'Updated',
  'post.deleted': 'Removed',
}
