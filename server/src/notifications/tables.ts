import type { Generated, Selectable } from 'kysely'
import type { EventName } from './events.ts'

/** How messages reach somebody. */
export const CHANNEL_KINDS = ['email', 'slack', 'webhook'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** `unverified`: nobody has followed the link in the first mail yet; nothing else is sent. `failing`: the last message did not arrive. */
export const CHANNEL_STATUSES = ['unverified', 'active', 'failing'] as const
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number]

/** Where somebody wants to be told, and what of. */
type NotificationChannelsTable = {
  id: string
  account_id: string
  kind: ChannelKind
  /** Where messages go and what signs them (`Target`), sealed: the address of a Slack webhook is a secret. */
  sealed: Buffer
  events: EventName[]
  status: ChannelStatus
  last_error: string | null
  /** SHA-256 of the token in the mail that asks whether the address wants messages; null once it was followed. */
  verify_hash: Generated<Buffer | null>
  created_at: Date
}

export type ChannelRow = Selectable<NotificationChannelsTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    notification_channels: NotificationChannelsTable
  }
}

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    channel: true
  }
}
