/**
 * Agents with the protocol's own clients: the library for TypeScript in both generations of the protocol, the one for Python, and the inspector's
 * command line. Each connects and calls every tool.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import root from '../../package.json' with { type: 'json' }
import { write } from './shown.ts'
import { freePort, type Stage, until } from './stage.ts'

const INSPECTOR = '2.12.0'
const PYTHON = '2.3.0'

type Answer = Record<string, unknown>

/** A client: it connects for every call, so that each has its handshake. */
type Caller = { tools(): Promise<string[]>; call(name: string, input: object): Promise<Answer> }

const PYTHON_CLIENT = `import asyncio, json, sys
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

url, token, name, given = sys.argv[1:5]

async def main():
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    async with Client(streamable_http_client(url, http_client=http)) as client:
        if name == "":
            print(json.dumps([tool.name for tool in (await client.list_tools()).tools]))
            return
        result = await client.call_tool(name, json.loads(given))
        if result.is_error:
            raise RuntimeError(result.content[0].text)
        print(result.content[0].text)

asyncio.run(main())
`

/** Tells the story; resolves with the versions. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  await stage.stopService()
  await stage.startService({ DELIVERY_RETRY_DELAYS: '0ms' })
  const url = `${stage.service}/mcp`
  const scopes = ['posts:read', 'posts:write', 'sites:read', 'deliveries:retry', 'generate'] as const
  const { token } = await stage.client.tokens.create({ name: 'Agent', scopes: [...scopes] })
  const site = await refusingSite(stage)
  const cwd = stage.directory
  await write(cwd, 'client.py', PYTHON_CLIENT)
  await write(cwd, 'package.json', '{"private":true}')
  await stage.run('python3', ['-m', 'venv', 'python'], { cwd })
  const python = join(cwd, 'python/bin/python')
  await stage.run(python, ['-m', 'pip', 'install', '--quiet', `mcp==${PYTHON}`], { cwd })
  await stage.run('npm', ['install', '--no-audit', '--no-fund', `@modelcontextprotocol/inspector@${INSPECTOR}`], {
    cwd,
  })

  const inPython = (name: string, input: object) =>
    stage.run(python, ['client.py', url, token, name, JSON.stringify(input)], { cwd }).then(lastLine)
  const inspect = (...args: string[]) =>
    stage.run('npx', ['mcp-inspector', '--cli', url, '--header', `Authorization: Bearer ${token}`, ...args], { cwd })
  const callers: Record<string, Caller> = {
    'TypeScript, generation of 2025': inTypeScript(url, token, 'legacy'),
    'TypeScript, generation of 2026': inTypeScript(url, token, { pin: '2026-07-28' }),
    Python: {
      tools: async () => JSON.parse(await inPython('', {})),
      call: async (...of) => JSON.parse(await inPython(...of)),
    },
    'the inspector': {
      tools: async () => namesIn(await inspect('--method', 'tools/list', '--strict')),
      async call(name, input) {
        const pairs = Object.entries(input).map(
          ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        )
        const given = pairs.length === 0 ? [] : ['--tool-arg', ...pairs]
        return resultIn(await inspect('--method', 'tools/call', '--tool-name', name, ...given))
      },
    },
  }
  for (const [name, caller] of Object.entries(callers)) {
    const called = await callAll(stage, caller, site)
    stage.seen(`**${name}**: connects, lists and calls every tool`, `${called} tools`)
  }
  await site.close()
  stage.seen('the inspector finds nothing to say about the schemas (`--strict`)')
  return {
    'client for TypeScript': root.devDependencies['@modelcontextprotocol/client'],
    'client for Python': PYTHON,
    inspector: INSPECTOR,
  }
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) ?? ''

function inTypeScript(url: string, token: string, mode: 'legacy' | { pin: string }): Caller {
  const withClient = async <Result>(use: (one: Client) => Promise<Result>) => {
    const one = new Client({ name: 'real', version: '1' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await one.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
    return use(one).finally(() => one.close())
  }
  return {
    tools: () => withClient(async (one) => (await one.listTools()).tools.map(({ name }) => name)),
    call: (name, input) => withClient(async (one) => textIn(await one.callTool({ name, arguments: { ...input } }))),
  }
}

function textIn({ content, isError }: { content?: unknown; isError?: boolean | undefined }): Answer {
  const [first] = content as Array<{ text: string }>
  if (isError === true) throw new Error(first?.text)
  return JSON.parse(first?.text ?? '')
}

type Printed = {
  result?: { tools?: Array<{ name: string }>; content?: unknown; isError?: boolean }
  tools?: Array<{ name: string }>
}

/** What the inspector prints is one JSON value, perhaps after notes. */
function printed(output: string): Printed {
  return JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1))
}
const namesIn = (output: string) =>
  (printed(output).tools ?? printed(output).result?.tools ?? []).map(({ name }) => name)
const resultIn = (output: string) => textIn(printed(output).result ?? (printed(output) as { content: unknown }))

/** A site that refuses what it is sent. */
async function refusingSite(stage: Stage): Promise<{ id: string; close(): Promise<void> }> {
  const refusing = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(413).end())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => refusing.listen(port, '127.0.0.1', resolve))
  const { site } = await stage.connect(`http://127.0.0.1:${port}`, '/webhook')
  return { id: site.id, close: () => new Promise((resolve) => refusing.close(() => resolve())) }
}

/** Calls every tool with what the others answered. Returns how many there are. */
async function callAll(stage: Stage, { tools, call }: Caller, site: { id: string }): Promise<number> {
  const left = new Set(await tools())
  const { size } = left
  const use = async (name: string, input: object) => {
    left.delete(name)
    return call(name, input)
  }
  const draft = await use('create_draft', { title: 'From an agent', markdown: 'One two.', site_ids: [site.id] })
  const { id } = draft
  await use('edit_post', { id, version: draft.version, edits: [{ find: 'two', replace: 'three' }] })
  expect((await use('read_post', { id })).markdown, 'One three.')
  await use('find_posts', { search: 'three', limit: 50 })
  await use('list_revisions', { id })
  expect((await use('compare_revisions', { id })).blocks, ['changed paragraph: One [-two-]{+three+}.'])
  expect((await use('convert_text', { text: '*a*', from: 'markdown', to: 'html' })).text, '<p><em>a</em></p>')
  expect((await use('propose_publication', { id, reason: 'It is ready.' })).published, false)
  const job = await use('generate_draft', { topic: 'Watering tomatoes' })
  await until('the draft is there', async () => {
    const { status } = await use('generation_status', { job_id: job.job_id })
    return status === 'complete'
  })
  await use('list_sites', {})
  await stage.client.posts.publish(String(id))
  await until('the delivery has failed', async () => {
    const { deliveries } = await use('post_standing', { id })
    return (deliveries as Array<{ status: string }>)[0]?.status === 'failed'
  })
  const { failures } = await use('list_failures', { site_id: site.id })
  const [failure] = failures as Array<{ delivery_id: string }>
  expect((await use('retry_delivery', { delivery_id: failure?.delivery_id })).status, 'pending')
  if (left.size > 0) throw new Error(`nobody called ${[...left].join(', ')}`)
  return size
}

function expect(got: unknown, wanted: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
}
