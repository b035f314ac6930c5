import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Api } from './api.ts'

/** An agent that is connected by the protocol's own client library. */
export type Agent = {
  tools: string[]
  /** Calls a tool; resolves with what it returned, whether that is a refusal, and how long the answer was in bytes. */
  call(name: string, input?: object): Promise<{ value: Record<string, unknown>; refused: boolean; bytes: number }>
  close(): Promise<void>
}

/** The generations of the protocol: sessions that begin with `initialize`, and requests that stand alone. */
export const GENERATIONS = { 'of 2025': 'legacy', 'of 2026': { pin: '2026-07-28' } } as const

/** Makes a token of the account; resolves with its text. */
export async function tokenFor(owner: Api, scopes: readonly string[], more: object = {}): Promise<string> {
  const { status, json } = await owner.post('/api/tokens', { name: 'Claude', scopes, ...more })
  if (status !== 201) throw new Error(`making a token answered ${status}: ${JSON.stringify(json)}`)
  return String(json.token)
}

/** Connects an agent with a token. */
export async function connectAgent(
  { url }: { url: string },
  token: string,
  mode: 'legacy' | { pin: string } = GENERATIONS['of 2025'],
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name }) => name),
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } })
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      const isJson = text.startsWith('{')
      return {
        value: isJson ? JSON.parse(text) : { message: text },
        refused: isError === true,
        bytes: Buffer.byteLength(text),
      }
    },
    close: () => client.close(),
  }
}
