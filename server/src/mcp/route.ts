/** Where agents reach the service: `POST /mcp`, and the documents that tell how (RFC 9728). */
import { z } from 'zod'
import { type ProgramPrincipal, programAuth, SCOPE_NAMES } from '../accounts/index.ts'
import { type Endpoint, endpoint, type Reply } from '../platform/http/endpoint.ts'
import type { SystemRoute } from '../platform/http/pipeline.ts'
import { AGENT_SCOPES } from './tools.ts'

const PATH = '/mcp'
const METADATA = '/.well-known/oauth-protected-resource'

/** What the protocol library reads of a request's headers. */
const HEADERS = ['accept', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version']

const agentAuth = programAuth(({ config }) => `Bearer resource_metadata="${config.publicUrl}${METADATA}${PATH}"`)

/** The endpoint for agents; it answers with what these endpoints answer. It is the protocol's and not part of the API's document. */
export function mcpRoute(endpoints: readonly Endpoint[], version: string): Endpoint {
  const byName = new Map(endpoints.map((one) => [one.name, one]))
  return endpoint({
    method: 'post',
    path: PATH,
    name: 'mcp',
    tag: 'MCP',
    summary: 'Answer a message of an agent',
    description: 'Model Context Protocol over Streamable HTTP, without sessions.',
    auth: agentAuth,
    body: z.looseObject({}, 'The body must be one JSON-RPC message. Batches are not taken.'),
    bodyExamples: {},
    replies: {},
    errors: [],
    async handler({ ctx, principal, body, ...facts }) {
      // Few installations have agents, and the library takes 35 MB.
      const { answerMessage } = await import('./server.ts')
      const session = { endpoints: byName, caller: { principal: asAgent(principal), facts }, version }
      const headers = HEADERS.map((name) => [name, facts.header(name) ?? ''] as [string, string])
      const request = new Request(`${ctx.config.publicUrl}${PATH}`, {
        method: 'POST',
        headers: headers.filter(([, value]) => value !== ''),
      })
      return (await replyOf(await answerMessage(ctx, session, request, body))) as never
    },
  })
}

/** The token with no more rights than tools may need. */
function asAgent({ credential, ...principal }: ProgramPrincipal): ProgramPrincipal {
  const scopes = credential.scopes.filter((scope) => AGENT_SCOPES.includes(scope))
  return { ...principal, credential: { ...credential, scopes } }
}

async function replyOf(response: Response): Promise<Reply> {
  const content = await response.text()
  const type = response.headers.get('content-type')
  return {
    status: response.status,
    ...(content === '' ? {} : { content }),
    ...(type === null ? {} : { headers: { 'Content-Type': type } }),
  }
}

/** The documents that tell a client what this is and which scopes tokens may have. No server gives out tokens: people make them. */
export function mcpMetadataRoutes(publicUrl: string): SystemRoute[] {
  const body = {
    resource: `${publicUrl}${PATH}`,
    resource_name: 'Postrider',
    resource_documentation: `${publicUrl}/account`,
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPE_NAMES,
  }
  const answer = async () => ({ status: 200, body })
  return [`${METADATA}${PATH}`, METADATA].map((path) => ({ path, answer }))
}
