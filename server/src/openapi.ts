import { webhooks } from './deliveries/index.ts'
import { createDocument } from './platform/http/openapi.ts'
import { endpoints } from './routes.ts'
import { VERSION } from './version.ts'

const DESCRIPTION = `Write once; Postrider publishes to every connected site by signed webhooks and shows what arrived where.

## Requests and answers

Bodies are JSON in UTF-8, up to 2 MiB. Unknown fields are refused; fields that only the service sets are accepted and
ignored, so what was fetched can be edited and sent back. Times are ISO 8601 in UTC with milliseconds; what you send may
have any offset but must have one. Ids are UUIDs. \`HEAD\` is answered wherever \`GET\` is.

Every answer carries \`X-Request-Id\`. Every refusal is \`{"error", "message"}\`: a code for programs and a sentence for
people, with \`field\` where one input is to blame.

## Authentication

The Management API takes the token of register or login: \`Authorization: Bearer <token>\`. The Pull API takes a site's key:
\`X-API-Key: <api_key>\`.

## Limits

Answers to counted requests carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. When the limit is used
up the answer is 429 with \`Retry-After\`. As it comes: register and login 5 per minute and client address, the Management API
100, 1,000 or 10,000 per hour by plan, the Pull API 500 per hour and site.

## Sending again, and at the same time

With an \`Idempotency-Key\`, a POST of the Management API can be sent again after a lost connection: it is carried out once and
answered the same. A PATCH or DELETE with \`If-Match: "<version>"\` is carried out only if nobody has changed the post since.

## Webhooks

Sites are told of posts by signed requests, described under Webhooks. Verify the signature over the raw body before you
parse it. Prefer the Standard Webhooks headers: their signature covers the time as well. An event that was received may come
again after a crash of the service, with the same delivery id.`

const TAGS = [
  { name: 'Accounts', description: 'Registering, logging in, and what is left of the plan.' },
  {
    name: 'Posts',
    description:
      'Writing, scheduling and publishing. A change to a published post goes out to the sites that have it; publishing answers when the deliveries are on record.',
  },
  { name: 'Sites', description: 'Connecting sites, their secrets, pausing, and testing whether deliveries arrive.' },
  { name: 'Deliveries', description: 'Each delivery: its attempts, what it sends, and sending it again.' },
  { name: 'Analytics', description: 'What arrived where, what failed and why, and sending it again.' },
  { name: 'Live updates', description: 'Hearing of changes as they happen, instead of asking again and again.' },
  {
    name: 'Pull',
    description:
      'What a site reads with its own key, beside or instead of webhooks. For servers only: the key must not reach browsers.',
  },
  { name: 'Webhooks', description: 'What sites are sent. Status 200 means received; anything else is tried again.' },
]

/** The OpenAPI 3.1 document of the whole API, for a service at this address. */
export function createApiDocument(serverUrl: string): ReturnType<typeof createDocument> {
  return createDocument({
    endpoints,
    webhooks,
    info: {
      title: 'Postrider',
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: serverUrl, description: 'This service' }],
    tags: TAGS,
  })
}
