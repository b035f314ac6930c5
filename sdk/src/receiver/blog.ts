/**
 * A blog for a server without a framework that would make its pages: what receives the posts, and the pages that show them, behind one
 * handler. `POST` is a webhook, everything else a visit.
 */
import { createPages, type PagesOptions, pathOf } from './pages.ts'
import { createReceiver, type Receiver, type ReceiverOptions } from './receiver.ts'

/** How a blog receives, where its pages are and how they look. */
export type BlogOptions = Omit<ReceiverOptions, 'addressOf'> & PagesOptions

/** What a blog needs of Node's `IncomingMessage`. Express keeps the whole address in `originalUrl`. */
export type NodeRequest = AsyncIterable<Uint8Array> & {
  method?: string | undefined
  url?: string | undefined
  originalUrl?: string | undefined
  headers: Record<string, string | string[] | undefined>
}

/** What a blog needs of Node's `ServerResponse`. */
export type NodeResponse = {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

/** A receiver with pages. */
export type Blog = Pick<Receiver, 'posts' | 'handle' | 'catchUp' | 'keepLevel'> & {
  /** `handle` for Node's own server, Express and what is like them. Nothing may have read the body before: the signature covers it raw. */
  handleNode(request: NodeRequest, response: NodeResponse): Promise<void>
}

type Answered = { status: number; headers: Record<string, string>; body: string }

/** Makes a blog. Nothing is read or sent until it is used. */
export function createBlog(options: BlogOptions = {}): Blog {
  const { log = console.warn } = options
  const path = pathOf(options)
  const receiver = createReceiver({ ...options, addressOf: ({ slug }) => `${path}/${slug}` })
  const page = createPages(receiver.posts, options)

  async function receive(...sent: Parameters<Receiver['receive']>): Promise<Answered> {
    const { status, body } = await receiver.receive(...sent)
    return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  }

  async function show(url: string): Promise<Answered> {
    try {
      return await page(url)
    } catch (error) {
      log(`Postrider: ${url} cannot be shown: ${error instanceof Error ? error.message : error}`)
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '60' }
      return { status: 503, headers, body: 'This page cannot be shown at the moment. Please try again in a minute.' }
    }
  }

  const { posts, catchUp, keepLevel } = receiver
  return {
    posts,
    catchUp,
    keepLevel,
    async handle({ method, url, body, headers }) {
      const answer = await (method === 'POST' ? receive(body, headers) : show(url))
      return new Response(answer.body, answer)
    },
    async handleNode(request, response) {
      const { method, headers, url = '/', originalUrl = url } = request
      const answer = await (method === 'POST' ? receive(request, headers) : show(originalUrl))
      response.writeHead(answer.status, answer.headers).end(answer.body)
    },
  }
}
