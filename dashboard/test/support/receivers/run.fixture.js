/**
 * Runs the files of a receiver as its framework would, in a process of its own: `node run.fixture.js NAME`, in the folder
 * that they lie in. Express and Hono are the real ones; of the others, what calls the handler stands here.
 */
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import express from 'express'

const [name] = process.argv.slice(2)
const PORT = Number(process.env.PORT)

const module = (source) => `data:text/javascript,${encodeURIComponent(source)}`

/** What frameworks provide under names of their own. */
const PROVIDED = {
  'next/cache': module('export const revalidatePath = (...path) => { globalThis.revalidated = path }'),
  '$app/environment': module('export const { KIT_BUILDING: building, KIT_DEV: dev } = process.env'),
  '$env/dynamic/private': module('export const env = process.env'),
  'astro:env/server': module('export const getSecret = (name) => process.env[name]'),
}
/** Found from here, since the files lie elsewhere. Hono is the server's. */
const OURS = {
  express: import.meta.url,
  hono: import.meta.url,
  '@hono/node-server': import.meta.url,
  '@postrider/sdk': import.meta.url,
  '@postrider/sdk/webhooks': import.meta.url,
}

registerHooks({
  resolve(specifier, context, next) {
    if (specifier in PROVIDED) return { url: PROVIDED[specifier], shortCircuit: true }
    if (specifier in OURS) return next(specifier, { ...context, parentURL: OURS[specifier] })
    // As bundlers do.
    if (/^\.\.?\/(?:[^/]+\/)*[\w-]+$/.test(specifier)) return next(`${specifier}.ts`, context)
    return next(specifier, context)
  },
})

function urlOf(path) {
  return pathToFileURL(join(process.cwd(), path.endsWith('.ts') ? path : `${path}.ts`))
}
const load = (path) => import(urlOf(path).href)

/** Serves a handler from Request to Response, with the way of calling it that the framework has. */
function serveRequests(handle) {
  createServer(async (incoming, outgoing) => {
    if (incoming.method !== 'POST') return outgoing.writeHead(405).end()
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      body: Readable.toWeb(incoming),
      duplex: 'half',
    })
    const response = await handle(request).catch((error) => new Response(String(error), { status: 500 }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }).listen(PORT, '127.0.0.1')
}

/** What Gatsby puts before a function: parsers of bodies in this order, each as the function's `config` says. */
function serveGatsby({ default: handler, config = {} }) {
  const { raw, text, urlencoded, json } = config.bodyParser ?? {}
  const app = express()
  app.use(express.raw(raw ?? { limit: '100kb' }))
  app.use(express.text(text ?? { limit: '100kb' }))
  app.use(express.urlencoded(urlencoded ?? { limit: '100kb', extended: true }))
  app.use(express.json(json ?? { limit: '100kb' }))
  app.use((request, response) => handler(request, response))
  app.listen(PORT, '127.0.0.1')
}

const starts = {
  async nextjs() {
    await (await load('instrumentation')).register()
    const { POST } = await load('app/api/postrider/route')
    serveRequests(async (request) => {
      globalThis.revalidated = undefined
      const response = await POST(request)
      response.headers.set('x-revalidated', JSON.stringify(globalThis.revalidated ?? null))
      return response
    })
  },
  async sveltekit() {
    await (await load('src/hooks.server')).init()
    // This process ends when nothing is under way any more.
    if (process.env.KIT_BUILDING || process.env.KIT_DEV) return
    const { POST } = await load('src/routes/api/postrider/+server')
    serveRequests((request) => POST({ request }))
  },
  async astro() {
    const { POST, prerender } = await load('src/pages/api/postrider')
    if (prerender !== false) throw new Error('Astro would make this at build time')
    serveRequests((request) => POST({ request }))
  },
  gatsby: async () => serveGatsby(await load('src/api/postrider')),
  express: () => load('server'),
  hono: () => load('server'),
}
await starts[name]()
