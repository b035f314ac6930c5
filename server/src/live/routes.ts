import { z } from 'zod'
import { accountAuth, whoAsks } from '../accounts/index.ts'
import { type Endpoint, endpoint } from '../platform/http/endpoint.ts'
import { EVENT_STREAM_HEADERS } from '../platform/http/event-stream.ts'
import { LiveEvent } from './events.ts'
import { exampleEvents } from './examples.ts'

const CURSOR = { description: 'The `id` of the last event: what changed since is told.', example: 'mwq1tpx2-WAkQimZ2' }

const Query = z.object({
  last_event_id: z
    .string()
    .max(100, 'The last_event_id has at most 100 characters; send one that a stream has given.')
    .optional()
    .openapi({ ...CURSOR, description: 'In place of the header, for clients that cannot send one.' }),
})

const DESCRIPTION = `Server-sent events: each has the fields \`event\`, \`data\` (JSON) and, where it ends a group, \`id\`. The
schema describes one event. Things are shown as they are when the event is sent; the same state may come twice, and one in
between may be left out.

\`ready\` is the first event. Fetch what you show after the first \`ready\`, and again after each \`resync\`; everything else
is told by events. Connect again with the last \`id\` in \`Last-Event-ID\`, as browsers do by themselves, and what changed in
between is told, or \`resync\`. The stream ends when the login does. An account may have 20 streams open per process of the
service.`

/** Live updates; an addition to the specification. */
export const liveRoutes: Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/events',
    name: 'streamEvents',
    tag: 'Live updates',
    summary: 'Follow what changes',
    description: DESCRIPTION,
    auth: accountAuth,
    query: Query,
    headers: z.object({ 'Last-Event-ID': z.string().optional().openapi(CURSOR) }),
    replies: {
      200: {
        description: 'Events, until somebody hangs up.',
        schema: LiveEvent,
        examples: exampleEvents,
        stream: true,
        headers: {
          'Cache-Control': { description: 'The stream is not to be kept.', example: 'no-store' },
          'X-Accel-Buffering': { description: 'Tells nginx to pass events on at once.', example: 'no' },
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
