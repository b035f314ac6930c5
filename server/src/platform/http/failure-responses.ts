/** How the API document shows refusals: one response per kind, referenced by every endpoint that can refuse that way. */
import { z } from 'zod'
import { type Challenge, type FailureKind, wireOf } from '../errors.ts'
import { type CommonHeader, EVERYWHERE, type Header, headerObjects, RATE_LIMIT } from './common-headers.ts'

const ErrorBody = z
  .object({
    error: z.string().openapi({ description: 'The error code, for programs.', example: 'not_found' }),
    message: z
      .string()
      .openapi({ description: 'What is wrong and what to do next, for people.', example: 'There is no such post.' }),
  })
  .openapi('Error', { description: 'What every error response contains.' })

const field = z
  .string()
  .openapi({ description: 'The dotted path of the input that caused the error.', example: 'meta.title' })

type Details = {
  name: string
  description: string
  /** What the body has besides `error` and `message`. */
  fields?: z.ZodRawShape
  /** Bodies without their `error`, by name. */
  examples: Record<string, { message: string; [field: string]: unknown }>
  /** Common headers that this kind always or sometimes carries, besides those of every answer and the limits. */
  always?: readonly CommonHeader[]
  sometimes?: readonly CommonHeader[]
  /** Headers that only this kind has. */
  own?: Record<string, Header>
}

const KINDS: Record<FailureKind | 'internal', Details> = {
  invalid: {
    name: 'ValidationError',
    description: 'The input is not valid; `field` names the first invalid field. Nothing was done.',
    fields: { field },
    examples: {
      'A field is missing': { message: 'The title is required.', field: 'title' },
      'A nested field is wrong': { message: 'The meta title must have at most 200 characters.', field: 'meta.title' },
      'The body is not JSON': { message: 'The body is not valid JSON.', field: 'body' },
    },
    sometimes: ['Idempotent-Replayed'],
  },
  unauthorized: {
    name: 'Unauthorized',
    description: 'Credentials are missing, wrong, expired or revoked.',
    examples: {
      'The token has expired': { message: 'The access token has expired. Log in again.' },
      'The key is not valid': { message: 'The API key is not valid. It may have been rotated.' },
    },
    own: {
      'WWW-Authenticate': {
        description:
          "The required credentials: `Bearer` for an access token, `ApiKey` for a site's key in `X-API-Key`.",
        required: true,
        schema: { type: 'string', enum: ['Bearer', 'ApiKey'] satisfies Challenge[] },
        example: 'Bearer',
      },
    },
  },
  forbidden: {
    name: 'Forbidden',
    description: 'The request is not allowed; `message` says why, and `required_scope` which right a token lacks.',
    fields: {
      required_scope: z
        .string()
        .optional()
        .openapi({ description: 'The scope that the token lacks.', example: 'posts:publish' }),
    },
    examples: {
      'The token lacks a scope': {
        message: 'This token may not do this: it lacks the scope posts:publish.',
        required_scope: 'posts:publish',
      },
      "Another site's key": { message: 'This API key belongs to another site. Set site_id to the id of its own site.' },
    },
  },
  not_found: {
    name: 'NotFound',
    description: 'The resource does not exist or belongs to another account; the response does not say which.',
    examples: { 'No such post': { message: 'There is no such post.' } },
    sometimes: ['Idempotent-Replayed'],
  },
  gone: {
    name: 'Gone',
    description: 'What was asked for existed once, and does not any more; `message` says what to do.',
    examples: {
      'The cursor is too old': {
        message: 'This cursor is too old, or not one of this service. Start again without a cursor.',
      },
    },
  },
  method_not_allowed: {
    name: 'MethodNotAllowed',
    description: 'This address does not support the method.',
    examples: { 'PUT is not supported': { message: 'This address supports only GET, HEAD, PATCH, DELETE.' } },
    own: {
      Allow: {
        description: 'The methods that this address supports.',
        required: true,
        schema: { type: 'string' },
        example: 'GET, HEAD, PATCH, DELETE',
      },
    },
  },
  conflict: {
    name: 'Conflict',
    description:
      'The request conflicts with the current state: a unique value is taken, or the idempotency key was used for another request or for one that is still running (then with `Retry-After`). Nothing was done.',
    fields: { field },
    examples: {
      'The slug is taken': { message: 'Another post already has this slug. Choose another one.', field: 'slug' },
      'The idempotency key was used': {
        message: 'This idempotency key was used for another request. Use a new one.',
        field: 'Idempotency-Key',
      },
    },
    sometimes: ['Retry-After', 'Idempotent-Replayed'],
  },
  precondition_failed: {
    name: 'PreconditionFailed',
    description: 'The resource is not at the version given in `If-Match`. Nothing was done.',
    examples: {
      'It has changed': {
        message: 'The resource has changed: it is now at version 4. Fetch it again and repeat your change.',
      },
    },
  },
  rate_limited: {
    name: 'RateLimited',
    description:
      'A limit is reached; `message` says which: of requests in a window, of drafts or their tokens, or of open event streams. Nothing was done.',
    fields: { retry_after: z.int().min(1).openapi({ description: 'Seconds to wait, as in `Retry-After`.' }) },
    examples: {
      'The limit is used up': {
        message: 'The limit of 100 requests is used up. Try again in 38 seconds.',
        retry_after: 38,
      },
      'Too many streams are open': {
        message: 'This account already has 20 event streams open. Close one, or share one between your windows.',
        retry_after: 30,
      },
    },
    always: ['Retry-After', ...RATE_LIMIT],
  },
  too_large: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than 2 MiB, or than the 16 KiB that a few endpoints accept. Nothing was done.',
    examples: { 'More than 2 MiB': { message: 'The body is larger than 2097152 bytes.' } },
  },
  unsupported_media_type: {
    name: 'UnsupportedMediaType',
    description: 'The body is not declared as JSON, or is compressed. Nothing was done.',
    examples: {
      'A form instead of JSON': { message: 'Send the body as JSON with the header Content-Type: application/json.' },
      'A compressed body': { message: 'Send the body uncompressed, without the header Content-Encoding.' },
    },
    own: {
      'Accept-Encoding': {
        description: 'Present if the body was compressed: only uncompressed bodies are accepted.',
        schema: { type: 'string', enum: ['identity'] },
        example: 'identity',
      },
    },
  },
  unavailable: {
    name: 'Unavailable',
    description:
      'The service is temporarily unavailable. Try again after the seconds in `Retry-After`; repeat a POST with the same idempotency key. Without that header, what was asked for is not set up at this service.',
    examples: { 'The database is unavailable': { message: 'The database does not answer. Try again shortly.' } },
    sometimes: ['Retry-After'],
  },
  internal: {
    name: 'InternalError',
    description: "An unexpected error. The service's log has the cause under the `request_id`.",
    fields: { request_id: z.string().openapi({ description: 'The same as in `X-Request-Id`.', format: 'uuid' }) },
    examples: {
      'An unexpected error': {
        message: 'Something went wrong on our side. Try again; if it persists, report the request_id.',
        request_id: '01a19b45-b8a1-7d30-8c51-0a3e5b7f9d21',
      },
    },
  },
}

/** How the API document shows a kind of failure: the response under its `name`, and the schema of its body, of the same name. */
export function failureResponse(kind: FailureKind | 'internal') {
  const { name, description, fields, examples, always = [], sometimes = [], own = {} } = KINDS[kind]
  const { status, error } = kind === 'internal' ? { status: 500, error: 'internal_error' } : wireOf(kind)
  const counted = kind === 'method_not_allowed' ? [] : RATE_LIMIT
  const headers = new Set<CommonHeader>([...EVERYWHERE, ...counted, ...always, ...sometimes])
  return {
    name,
    status,
    schema: ErrorBody.extend({ error: z.literal(error), ...fields }),
    response: {
      description: `\`${error}\`: ${description}`,
      headers: { ...headerObjects([...headers], always), ...own },
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          examples: Object.fromEntries(
            Object.entries(examples).map(([label, body]) => [label, { value: { error, ...body } }]),
          ),
        },
      },
    },
  }
}
