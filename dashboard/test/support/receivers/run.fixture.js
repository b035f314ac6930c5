/**
 * Runs the files of a receiver as its framework would, in a process of its own: `node run.fixture.js NAME`, in the folder
 * that they lie in. Express and Hono are the real ones; of the others, what calls the handler stands here.
 */
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import 'express' // before the hooks, which are for the site's own files

const [name] = process.argv.slice(2)
const PORT = Number(process.env.PORT)

const module = (source) => `data:text/javascript,${encodeURIComponent(source)}`

/** What frameworks provide under names of their own. */
const PROVIDED = { 'astro:env/server': module('export const getSecret = (name) => process.env[name]') }
/** Found from here, since the files lie elsewhere. Hono is the server's. */
const OURS = ['express', 'hono', '@hono/node-server']

registerHooks({
  resolve(specifier, context, next) {
    if (specifier in PROVIDED) return { url: PROVIDED[specifier], shortCircuit: true }
    if (OURS.includes(specifier) || specifier.startsWith('@postrider/'))
      return next(specifier, { ...context, parentURL: import.meta.url })
    // As bundlers do.
    if (/^\.\.?\/(?:[^/]+\/)*[\w-]+$/.test(specifier)) return next(`${specifier}.ts`, context)
    return next(specifier, context)
  },
})

function urlOf(path) {
  return pathToFileURL(join(process.cwd(), path.endsWith('.ts') ? path : `${path}.ts`))
}
const load = (path) => import(urlOf(path).href)

/** Serves an endpoint from Request to Response, and the list that its pages read. */
function serveRequests(handle, { blog }) {
  createServer(async (incoming, outgoing) => {
    const { method, headers, url } = incoming
    if (method === 'GET') return outgoing.end(JSON.stringify(await blog.posts.list()))
    const body = Readable.toWeb(incoming)
    const request = new Request(`http://127.0.0.1${url}`, { method, headers, body, duplex: 'half' })
    const response = await handle({ request })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }).listen(PORT, '127.0.0.1')
}

const starts = {
  async sveltekit() {
    serveRequests((await load('src/routes/api/postrider/+server')).POST, await load('src/lib/server/blog'))
  },
  async astro() {
    const { POST, prerender } = await load('src/pages/api/postrider')
    if (prerender !== false) throw new Error('Astro would make this at build time')
    serveRequests(POST, await load('src/lib/blog'))
  },
  express: () => load('server'),
  hono: () => load('server'),
}
await starts[name]()
