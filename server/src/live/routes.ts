import { z } from 'zod'
import { accountAuth, whoAsks } from '../accounts/index.ts'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { EVENT_STREAM_HEADERS } from '../platform/http/event-stream.ts'
import { LiveEvent } from './events.ts'
import { exampleEvents } from './examples.ts'

const CURSOR = {
  description: 'The `id` of the last event you received: the stream begins with what has changed since.',
  example: 'mwq1tpx2-WAkQimZ2',
}

const Query = z.object({
  last_event_id: z
    .string()
    .max(100, 'last_event_id must have at most 100 characters; send the id of an event.')
    .optional()
    .openapi({ ...CURSOR, description: 'Instead of the header `Last-Event-ID`, for clients that cannot send it.' }),
})

const DESCRIPTION = `Server-sent events. Each has the fields \`event\` and \`data\` (JSON); the last one of a group also has \`id\`. The
schema describes one event. An event shows the state at the time it is sent: the same state may be sent twice, and a state in
between may be skipped.

The first event is \`ready\`. Fetch what you show after the first \`ready\`, and again after each \`resync\`; events tell of
all other changes. Reconnect with the last \`id\` in \`Last-Event-ID\`, as browsers do automatically: the stream then begins
with what has changed since, or with \`resync\`. The stream ends when the login does. An account can have 20 streams open per
process of the service.`

/** Live updates; an addition to the specification. */
export const liveRoutes: Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/events',
    name: 'streamEvents',
    tag: 'Live updates',
    summary: 'Stream changes',
    description: DESCRIPTION,
    auth: accountAuth,
    query: Query,
    headers: z.object({ 'Last-Event-ID': z.string().optional().openapi(CURSOR) }),
    replies: {
      200: {
        description: 'Events, until the client or the service closes the connection.',
        schema: LiveEvent,
        examples: exampleEvents,
        stream: true,
        headers: {
          'Cache-Control': { description: 'The stream must not be stored.', example: 'no-store' },
          'X-Accel-Buffering': { description: 'Tells nginx to pass on events without buffering.', example: 'no' },
        },
      },
    },
    errors: [],
    async handler({ ctx, principal, query, ...request }) {
      const reply = { status: 200, headers: EVENT_STREAM_HEADERS } as const
      if (request.method === 'HEAD') return reply
      const stream = await ctx.feeds.open({
        owner: principal.accountId,
        requestId: request.requestId,
        cursor: request.header('last-event-id') ?? query.last_event_id,
        expiresAt: principal.credential.expiresAt,
        mayGoOn: () => whoAsks(ctx, request),
      })
      return { ...reply, stream }
    },
  }),
]
