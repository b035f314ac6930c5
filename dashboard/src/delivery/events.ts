import type { LoggedDelivery } from '@postrider/sdk'

type Event = LoggedDelivery['event']

/** What a delivery is, whether it has arrived or not. */
export const EVENT_NAMES: Record<Event, string> = {
  'post.published': 'Publication',
  'post.updated': 'Update',
  'post.deleted': 'Removal',
}

/** The same, before the name of its site. */
export const EVENT_AT: Record<Event, string> = {
  'post.published': 'Publication on',
  'post.updated': 'Update for',
  'post.deleted': 'Removal from',
}

/** What has not happened, before the name of the site, when the delivery has failed. */
export const MISSING_AT: Record<Event, string> = {
  'post.published': 'Not on',
  'post.updated': 'Not updated on',
  'post.deleted': 'Not removed from',
}
