import type { LoggedDelivery } from '@postrider/sdk'

/** What a site is told of a post. */
export const EVENT_NAMES: Record<LoggedDelivery['event'], string> = {
  'post.published': 'Published',
  'post.updated': 'Updated',
  'post.deleted': 'Removed',
}
