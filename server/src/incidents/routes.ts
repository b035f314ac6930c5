import { z } from 'zod'
import { accountAuth } from '../accounts/index.ts'
import { type Endpoint, endpoint, Id, Timestamp } from '../platform/http/endpoint.ts'
import { incidentsOf } from './list.ts'
import { INCIDENT_KIND_NAMES } from './tables.ts'

const Incident = z
  .object({
    id: Id,
    kind: z.enum(INCIDENT_KIND_NAMES).openapi('IncidentKind', {
      description:
        '`failing`: the site does not accept posts. `not_live`: it accepts posts and does not show them (sites with `verify`).',
    }),
    site: z.object({ id: Id, name: z.string() }),
    opened_at: Timestamp,
    closed_at: Timestamp.nullable().openapi({ description: 'When the site was fine again; null while it is not.' }),
    reason: z.string().nullable().openapi({ description: 'What went wrong first, and what to check.' }),
    failures: z.int().openapi({ description: 'Deliveries that failed for good meanwhile.' }),
    missing: z
      .int()
      .openapi({ description: 'Posts that the site should have and does not; 0 once the incident has ended.' }),
    not_live: z
      .int()
      .openapi({ description: 'Posts that the site accepted and does not show; 0 once the incident has ended.' }),
  })
  .openapi('Incident')

const IncidentList = z.object({ incidents: z.array(Incident) }).openapi('IncidentList')

/** What went wrong with sites. */
export const incidentRoutes: Endpoint[] = [
  endpoint({
    tag: 'Notifications',
    method: 'get',
    path: '/api/incidents',
    auth: accountAuth('analytics:read'),
    name: 'listIncidents',
    summary: 'List the incidents',
    description:
      'Times in which a site did not accept posts, or did not show them: those that last, then the last 20 that ended. One begins when a delivery has failed for good, or five attempts in a row, or when the page of a post that was accepted does not show it; it ends once the site has been fine for a minute.',
    replies: {
      200: {
        description: 'The incidents, open ones first.',
        schema: IncidentList,
        examples: {
          'A site in trouble': {
            incidents: [
              {
                id: '01a19b45-d3c2-7a10-8d6e-2f4a6b8c0d1e',
                kind: 'failing',
                site: { id: '01a19b40-5a20-7c11-9e3d-7b42a1d0c6f8', name: "Ada's kitchen" },
                opened_at: '2026-11-02T08:35:00.000Z',
                closed_at: null,
                reason: 'Your site answered 503: it failed while handling the webhook. Look at its log.',
                failures: 3,
                missing: 3,
                not_live: 0,
              },
            ],
          },
          'All is well': { incidents: [] },
        },
      },
    },
    errors: [],
    handler: async ({ ctx, principal }) => ({
      status: 200,
      body: { incidents: await incidentsOf(ctx.db, principal.accountId) },
    }),
  }),
]
