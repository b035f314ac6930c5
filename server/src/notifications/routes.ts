import { authBuckets, loginAuth } from '../accounts/index.ts'
import { type Endpoint, endpoint, IdParams, NO_STORE } from '../platform/http/endpoint.ts'
import { addChannel, askAgain, changeChannel, channelOf, channelsOf, removeChannel, verifyAddress } from './channels.ts'
import { exampleChannel, exampleWebhookChannel } from './examples.ts'
import { sendSample } from './send.ts'
import {
  ChannelBody,
  ChannelList,
  CreateChannel,
  presentChannel,
  TestBody,
  UpdateChannel,
  USUAL_EVENTS,
  VerifyBody,
} from './wire.ts'

const shared = { tag: 'Notifications', auth: loginAuth } as const
const path = '/api/notifications/channels'

/** Who is told when something needs them, and how. */
export const notificationRoutes: Endpoint[] = [
  endpoint({
    ...shared,
    method: 'get',
    path,
    name: 'listNotificationChannels',
    summary: 'List the notification channels',
    description: 'All channels, oldest first, and whether this service can send mail.',
    replies: {
      200: {
        description: 'The channels.',
        schema: ChannelList,
        examples: { 'Two channels': { channels: [exampleChannel, exampleWebhookChannel], email: true } },
        headers: NO_STORE.documented,
      },
    },
    errors: [],
    async handler({ ctx, principal }) {
      const channels = (await channelsOf(ctx, principal.accountId)).map(presentChannel)
      return { status: 200, body: { channels, email: ctx.config.mail !== undefined }, headers: NO_STORE.sent }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path,
    name: 'createNotificationChannel',
    summary: 'Add a notification channel',
    description:
      'A message says that a site stopped accepting posts, that it accepts them again, that a post was published late, or what became of a draft. An e-mail address is sent a link first and gets messages once somebody has followed it; 503 where the service cannot send mail. At most 20 channels.',
    body: CreateChannel,
    bodyExamples: {
      'An e-mail address': { kind: 'email', target: 'ada@example.com' },
      'A channel of a Slack workspace': {
        kind: 'slack',
        target: 'https://hooks.slack.com/services/T000/B000/XXXX',
        events: ['site.failing', 'site.recovered'],
      },
      'A signed webhook': { kind: 'webhook', target: 'https://ops.example.com/postrider' },
    },
    replies: {
      201: {
        description: 'The new channel.',
        schema: ChannelBody,
        examples: { 'Waiting for the address to accept': { ...exampleChannel, status: 'unverified' } },
        headers: NO_STORE.documented,
      },
    },
    errors: ['conflict', 'unavailable'],
    async handler({ ctx, principal, body: { kind, target, events = USUAL_EVENTS } }) {
      const channel = await addChannel(ctx, principal.accountId, { kind, target, events })
      return { status: 201, body: presentChannel(channel), headers: NO_STORE.sent }
    },
  }),
  endpoint({
    ...shared,
    method: 'patch',
    path: `${path}/{id}`,
    name: 'updateNotificationChannel',
    summary: 'Change a notification channel',
    description: 'Changes where its messages go, or what it is told. A new e-mail address has to accept first.',
    params: IdParams,
    body: UpdateChannel,
    bodyExamples: { 'Only what is wrong': { events: ['site.failing', 'delivery.failed', 'post.late'] } },
    replies: {
      200: {
        description: 'The changed channel.',
        schema: ChannelBody,
        examples: { 'The channel': exampleChannel },
        headers: NO_STORE.documented,
      },
    },
    errors: ['unavailable'],
    async handler({ ctx, principal, params, body }) {
      const channel = await changeChannel(ctx, principal.accountId, params.id, body)
      return { status: 200, body: presentChannel(channel), headers: NO_STORE.sent }
    },
  }),
  endpoint({
    ...shared,
    method: 'delete',
    path: `${path}/{id}`,
    name: 'deleteNotificationChannel',
    summary: 'Remove a notification channel',
    description: 'What waits to be sent over it is dropped.',
    params: IdParams,
    replies: { 204: { description: 'The channel is removed.', schema: null } },
    errors: [],
    async handler({ ctx, principal, params }) {
      await removeChannel(ctx, principal.accountId, params.id)
      return { status: 204 }
    },
  }),
  endpoint({
    ...shared,
    method: 'post',
    path: `${path}/{id}/test`,
    name: 'testNotificationChannel',
    summary: 'Send a test message',
    description:
      'Sends a sample now, and says whether it arrived. An e-mail address that has not accepted yet is sent the link again instead (202).',
    params: IdParams,
    replies: {
      200: {
        description: 'What came of the test message.',
        schema: TestBody,
        examples: {
          'It arrived': { ok: true, error: null },
          'It did not arrive': { ok: false, error: 'The answer had the status 404.' },
        },
      },
      202: { description: 'The address is sent the link again.', schema: null },
    },
    errors: [],
    async handler({ ctx, principal, params }) {
      const channel = await channelOf(ctx, principal.accountId, params.id)
      if (channel.row.status === 'unverified') {
        await askAgain(ctx, channel)
        return { status: 202 }
      }
      const error = await sendSample(ctx, channel)
      return { status: 200, body: { ok: error === null, error } }
    },
  }),
  endpoint({
    tag: 'Notifications',
    auth: null,
    buckets: authBuckets,
    method: 'post',
    path: '/api/notifications/verify',
    name: 'verifyNotificationAddress',
    summary: 'Accept messages at an e-mail address',
    description:
      'With the token of the link that a new address is sent. It needs no login: whoever has the mail may accept, or not.',
    mostBytes: 1_024,
    body: VerifyBody,
    bodyExamples: { 'The token of the link': { token: 'y3pVHqqmVqyMiOiZcRjtUwL5R-0bYb0ZFtSuFkA3e2c' } },
    replies: { 204: { description: 'The address gets messages from now on.', schema: null } },
    errors: ['not_found'],
    async handler({ ctx, body }) {
      await verifyAddress(ctx, body.token)
      return { status: 204 }
    },
  }),
]
