/**
 * Loads the built SDK in an edge runtime: a V8 context with web APIs and nothing from Node. Run it with
 * `--experimental-vm-modules` and three arguments: the package's directory, a service's address and a signed webhook (JSON).
 */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import vm from 'node:vm'
import { EdgeVM } from '@edge-runtime/vm'

const [, , directory = '', baseUrl = '', webhook = ''] = process.argv
const { context } = new EdgeVM()

const modules = new Map<string, vm.SourceTextModule>()

/** Only files of the package can be imported. */
async function load(path: string): Promise<vm.SourceTextModule> {
  if (!path.startsWith(resolve(directory))) throw new Error(`${path} is not part of the package`)
  const known = modules.get(path)
  if (known !== undefined) return known
  const module = new vm.SourceTextModule(await readFile(path, 'utf8'), { context, identifier: path })
  modules.set(path, module)
  return module
}

async function run(path: string): Promise<vm.SourceTextModule> {
  const module = await load(path)
  await module.link((specifier, from) => {
    if (!specifier.startsWith('.')) throw new Error(`${specifier} is not part of the package`)
    return load(resolve(dirname(from.identifier), specifier))
  })
  await module.evaluate()
  return module
}

const { namespace } = await run(resolve(directory, 'index.js'))
const { namespace: receiving } = await run(resolve(directory, 'receiver/index.js'))
Object.assign(context, { sdk: namespace, receiving, baseUrl, webhook: JSON.parse(webhook), result: {} })
await vm.runInContext(
  `(async () => {
    const { event } = await sdk.verifyWebhook(webhook)
    const streamed = await sdk.verifyWebhook({ ...webhook, body: new Response(webhook.body).body })
    const tampered = await sdk.verifyWebhook({ ...webhook, body: webhook.body + ' ' }).catch((error) => error.reason)
    const client = sdk.createClient({ baseUrl, token: 't' })
    const titles = []
    for await (const { title } of client.posts.all({}, { signal: new AbortController().signal })) titles.push(title)
    const created = await client.posts.create({ title: 'x' })
    const connection = receiving.connectionCode({ url: baseUrl, site: 's', key: 'k', secret: webhook.secret })
    const site = receiving.createReceiver({ connection, store: receiving.memoryStore() })
    const received = await site.receive(webhook.body, webhook.headers)
    const node = ['process', 'Buffer', 'require', 'global', 'setImmediate'].filter((name) => name in globalThis)
    result = { event: event.event, streamed: streamed.event.event, tampered, titles, created: created.id, received: received.status, node }
  })()`,
  context,
)
console.log(JSON.stringify(context.result))
