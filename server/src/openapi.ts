import { webhooks } from './deliveries/index.ts'
import { createDocument } from './platform/http/openapi.ts'
import { endpoints } from './routes.ts'
import { VERSION } from './version.ts'

const DESCRIPTION = `Write a post once; Postrider publishes it to every connected site by signed webhooks and shows which deliveries succeeded.

## Requests and responses

Bodies are JSON in UTF-8, up to 2 MiB. Unknown fields are refused. Read-only fields are accepted and ignored, so a fetched
resource can be edited and sent back. Times are ISO 8601 in UTC with milliseconds; times that you send need an offset, which
may be any. Ids are UUIDs. \`HEAD\` is supported wherever \`GET\` is.

Every response carries \`X-Request-Id\`. Every error response is \`{"error", "message"}\`: a code for programs and a sentence
for people, with \`field\` if one input caused the error.

## Authentication

The Management API takes the token that register or login returns: \`Authorization: Bearer <token>\`. The Pull API takes a
site's key: \`X-API-Key: <api_key>\`.

## Limits

Responses to requests that count against a limit carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\`. When the limit is used up, the response is 429 with \`Retry-After\`. Default limits: 5 per minute
and client address for register and login together; 100, 1,000 or 10,000 per hour for the Management API, depending on
the plan; 500 per hour and site for the Pull API.

## Retries and concurrent changes

With an \`Idempotency-Key\`, a POST of the Management API can be repeated safely after a lost connection: it is carried out
once, and the repetition gets the same response. A PATCH or DELETE with \`If-Match: "<version>"\` is carried out only if the
post has not changed since that version.

## Webhooks

Sites are notified of posts by signed requests, described under Webhooks. Verify the signature over the raw body before you
parse it. Prefer the Standard Webhooks headers: their signature also covers the time. After a crash of the service, an event
that was received may be sent again with the same delivery id.`

const TAGS = [
  { name: 'Accounts', description: 'Registering, logging in, and the remaining requests of the plan.' },
  { name: 'Tokens', description: 'With which programs use an account, as far as their scopes go.' },
  {
    name: 'Posts',
    description:
      'Writing, scheduling and publishing. A change to a published post is sent to the sites that have it; publishing returns when the deliveries are stored.',
  },
  {
    name: 'Media',
    description:
      'Pictures for posts: uploading them, taking them over from elsewhere, and where they are used. Their public addresses need no login and never change.',
  },
  {
    name: 'Notifications',
    description: 'Who is told when a site is in trouble, a post was late or a draft is done, and what went wrong.',
  },
  {
    name: 'Import and export',
    description: 'Bringing posts along from other systems, and taking all posts out.',
  },
  { name: 'Sites', description: 'Connecting and pausing sites, their secrets, and test deliveries.' },
  { name: 'Deliveries', description: 'Single deliveries: their attempts, what they send, and retrying them.' },
  { name: 'Analytics', description: 'Which deliveries succeeded or failed, and why; and retrying them.' },
  { name: 'Live updates', description: 'Receiving changes as they happen, instead of polling.' },
  {
    name: 'Pull',
    description:
      'What a site reads with its own key, in addition to webhooks or instead of them. For servers only: the key must not reach browsers.',
  },
  { name: 'Webhooks', description: 'What sites are sent. Status 200 means received; any other answer is retried.' },
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
