/** Notification channels on the wire. */
import { z } from 'zod'
import { masked } from '../destinations/index.ts'
import { Id, readOnlyField, Timestamp } from '../platform/http/endpoint.ts'
import { text } from '../platform/http/text.ts'
import type { Channel } from './channels.ts'
import { EVENT_NAMES, type EventName } from './events.ts'
import { CHANNEL_KINDS, CHANNEL_STATUSES } from './tables.ts'

const Kind = z
  .enum(CHANNEL_KINDS, 'The kind must be "email", "slack" or "webhook".')
  .openapi('NotificationChannelKind', {
    description:
      '`email`: a mail to an address, which has to accept first. `slack`: the address of an incoming webhook of Slack, or of a chat that takes the same (Mattermost, Rocket.Chat, Discord with `/slack`). `webhook`: a request signed like those to sites.',
  })
const Event = z.enum(EVENT_NAMES, `An event must be one of ${EVENT_NAMES.join(', ')}.`).openapi('NotificationEvent')

export const ChannelBody = z
  .object({
    id: Id,
    kind: Kind,
    target: z.string().openapi({
      description:
        'Where messages go. Of a Slack webhook only its host is shown (`https://host/***`), since whoever has the address can post; that also means "unchanged" in a change.',
    }),
    events: z.array(Event),
    status: z.enum(CHANNEL_STATUSES).openapi('NotificationChannelStatus', {
      description:
        '`unverified`: the address has not accepted yet, and is sent nothing else. `failing`: the last message did not arrive; `last_error` says why.',
    }),
    last_error: z.string().nullable(),
    secret: z
      .string()
      .optional()
      .openapi({ description: 'Signs the requests to a webhook; the other kinds have none.' }),
    created_at: Timestamp,
  })
  .openapi('NotificationChannel')

export const ChannelList = z
  .object({
    channels: z.array(ChannelBody),
    email: z.boolean().openapi({ description: 'Whether this service can send mail.' }),
  })
  .openapi('NotificationChannelList')

const fields = {
  target: text('The target', { min: 3, max: 2_048 }).openapi({
    description: 'An e-mail address, or the address of a webhook.',
    example: 'ada@example.com',
  }),
  events: z
    .array(Event, 'The events must be an array of strings.')
    .transform((events) => [...new Set(events)])
    .optional()
    .openapi({ description: 'What to tell; everything but `draft.ready` if it is not given.' }),
  id: readOnlyField(),
  status: readOnlyField(),
  last_error: readOnlyField(),
  secret: readOnlyField(),
  created_at: readOnlyField(),
}

export const CreateChannel = z.strictObject({ kind: Kind, ...fields }).openapi('CreateNotificationChannel')

export const UpdateChannel = z
  .strictObject({ ...fields, kind: readOnlyField(), target: fields.target.optional() })
  .openapi('UpdateNotificationChannel')

/** What came of a test message. */
export const TestBody = z
  .object({ ok: z.boolean(), error: z.string().nullable().openapi({ description: 'Why it did not arrive.' }) })
  .openapi('NotificationTest')

export const VerifyBody = z
  .strictObject({ token: text('The token', { min: 1, max: 200 }) })
  .openapi('VerifyNotificationAddress')

/** What a channel is told unless its owner says otherwise. Whoever waits for a draft looks anyway. */
export const USUAL_EVENTS: EventName[] = EVENT_NAMES.filter((name) => name !== 'draft.ready')

/** A channel as answers show it. */
export function presentChannel({ row, target: { to, secret } }: Channel): z.output<typeof ChannelBody> {
  const { id, kind, events, status, last_error, created_at } = row
  const target = kind === 'slack' ? masked(to) : to
  return { id, kind, target, events, status, last_error, ...(secret === undefined ? {} : { secret }), created_at }
}
