import { accountAuth, whoAsks } from '../accounts/index.ts'
import { exampleDeliveryId } from '../deliveries/index.ts'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { EVENT_STREAM_HEADERS } from '../platform/http/event-stream.ts'
import { examplePost } from '../posts/index.ts'
import { exampleSite } from '../sites/index.ts'
import { LiveEvent } from './events.ts'

const DESCRIPTION = `Server-sent events. Each has the fields \`event\` and \`data\` (JSON); the schema describes one event.

The first event is \`ready\`: fetch what you show, because events announce only what changes from then on, also after a
reconnection. The events of each kind of thing, such as \`post.changed\` and \`delivery.changed\`, name what was created, changed or removed, by
id; fetch it again. Changes within half a second come together. After \`resync\` anything may have changed: more than 200 things at
once, or changes may have been missed. The stream ends when the login does. An account can have 20 streams open per process of
the service.`

const examples = {
  'From here on changes are announced: fetch what you show': { event: 'ready', data: {} },
  'A post was published': { event: 'post.changed', data: { ids: [examplePost.id] } },
  'A delivery has succeeded': { event: 'delivery.changed', data: { ids: [exampleDeliveryId] } },
  'Its site has new results': { event: 'site.changed', data: { ids: [exampleSite.id] } },
  'Fetch everything again': { event: 'resync', data: {} },
}

/** Live updates; an addition to the specification. */
export const liveRoutes: Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/events',
    auth: accountAuth('posts:read'),
    name: 'streamEvents',
    tag: 'Live updates',
    summary: 'Stream changes',
    description: DESCRIPTION,
    replies: {
      200: {
        description: 'Events, until the client or the service closes the connection.',
        schema: LiveEvent,
        examples,
        stream: true,
        headers: {
          'Cache-Control': { description: 'The stream must not be stored.', example: 'no-store' },
          'X-Accel-Buffering': { description: 'Tells nginx to pass on events without buffering.', example: 'no' },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, ...request }) {
      const reply = { status: 200, headers: EVENT_STREAM_HEADERS } as const
      if (request.method === 'HEAD') return reply
      const stream = ctx.streams.open({
        owner: principal.accountId,
        requestId: request.requestId,
        expiresAt: principal.credential.expiresAt,
        mayGoOn: () => whoAsks(ctx, request),
      })
      return { ...reply, stream: stream.body }
    },
  }),
]
