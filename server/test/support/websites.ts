/** Websites for platform detection: real servers that answer as the platforms do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a path is answered: by default with status 200 and HTML, or by hand. */
export type WebAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
  | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>)

/** Answers by path; a path with a query goes before one without. `*` is for all others. */
export type WebAnswers = Record<string, WebAnswer>

/** A running website. */
export type Website = {
  url: string
  /** What was requested so far, path and query. */
  asked: string[]
  /** Answers differently from now on. */
  answer(answers: WebAnswers): void
  /** Resolves with the next request's path. */
  nextRequest(): Promise<string>
  close(): Promise<void>
}

const NOT_FOUND: WebAnswer = { status: 404, body: '<h1>Not Found</h1>' }

/** Starts a website on a port of its own. */
export async function startWebsite(answers: WebAnswers = {}): Promise<Website> {
  const asked: string[] = []
  const waiting: Array<(path: string) => void> = []
  let current = answers
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    for (const resolve of waiting.splice(0)) resolve(path)
    const answer = current[path] ?? current[path.split('?')[0] ?? ''] ?? current['*'] ?? NOT_FOUND
    if (typeof answer === 'function') return answer(request, response)
    const { status = 200, headers = {}, body = '' } = answer
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    answer(next) {
      current = next
    },
    nextRequest: () => new Promise((resolve) => void waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The same website with a page that answers only after `release`; `reached` resolves when it is requested. */
export function held(answers: WebAnswers): { page: WebAnswers; release(): void; reached: Promise<void> } {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const { headers, body } = answers['/'] as { headers?: Record<string, string>; body: string }
  const page: WebAnswers = {
    ...answers,
    async '/'(_, response) {
      reached.resolve()
      await gate.promise
      response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
    },
  }
  return { page, release: gate.resolve, reached: reached.promise }
}

const JSON_TYPE = { 'content-type': 'application/json; charset=UTF-8' }
const SCRIPT_TYPE = { 'content-type': 'application/javascript; charset=UTF-8' }

/** A page with this head and body. */
export function html(head: string, body = '<p>Hello</p>'): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/>${head}</head><body>${body}</body></html>`
}

/** Next.js with the app router, as `next start` serves it. */
export const nextjs: WebAnswers = {
  '/': {
    headers: {
      vary: 'rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch, Accept-Encoding',
      'x-nextjs-cache': 'HIT',
      'x-powered-by': 'Next.js',
    },
    body: html(
      `<link rel="preload" href="/_next/static/media/797e433ab948586e-s.p.dbea232f.woff2" as="font" crossorigin="" type="font/woff2"/>
      <link rel="stylesheet" href="/_next/static/chunks/2473c16c0c2f6b5f.css" data-precedence="next"/>
      <script src="/_next/static/chunks/4c2a5d1f9b0e7a63.js" async=""></script>`,
      '<main>Hello</main><script>(self.__next_f=self.__next_f||[]).push([0])</script><script>self.__next_f.push([1,"0:{}"])</script>',
    ),
  },
  '/_next/static/chunks/2473c16c0c2f6b5f.css': { headers: { 'content-type': 'text/css; charset=UTF-8' }, body: 'a{}' },
  '/_next/static/chunks/4c2a5d1f9b0e7a63.js': { headers: SCRIPT_TYPE, body: '0' },
}

/** Next.js with the pages router, below a base path, without its telltale header. */
export const nextjsPages: WebAnswers = {
  '/': {
    body: html(
      '<script defer="" src="/docs/_next/static/chunks/main-7be0e0f5a1.js"></script>',
      '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/","buildId":"b1"}</script>',
    ),
  },
  '/docs/_next/static/chunks/main-7be0e0f5a1.js': { headers: SCRIPT_TYPE, body: '0' },
}

/** WordPress with pretty permalinks. `apiUrl` is the address that it announces for its REST API. */
export function wordpress(apiUrl: string): WebAnswers {
  return {
    '/': {
      headers: { 'x-powered-by': 'PHP/8.3.14', link: `<${apiUrl}>; rel="https://api.w.org/"` },
      body: html(
        `<meta name="generator" content="WordPress 6.9" />
        <link rel='stylesheet' id='wp-block-library-css' href='/wp-includes/css/dist/block-library/style.min.css?ver=6.9' media='all' />
        <link rel="https://api.w.org/" href="${apiUrl}" />`,
        '<script src="/wp-content/themes/twentytwentyfive/view.js"></script>',
      ),
    },
    '/wp-json/': {
      headers: JSON_TYPE,
      body: '{"namespaces":["oembed\\/1.0","wp\\/v2","wp-site-health\\/v1"],"_links":{}}',
    },
  }
}

/** Gatsby, as a static host serves it. */
export const gatsby: WebAnswers = {
  '/': {
    body: html(
      '<meta name="generator" content="Gatsby 5.15.0"/>',
      `<div id="___gatsby"><div id="gatsby-focus-wrapper"></div></div>
      <script>/*<![CDATA[*/window.pagePath="/";window.___webpackCompilationHash="5ee6ab";/*]]>*/</script>
      <script src="/app-5ee6ab.js" async></script>`,
    ),
  },
  '/page-data/app-data.json': { headers: JSON_TYPE, body: '{"webpackCompilationHash":"5ee6ab1f2c"}\n' },
}

/** SvelteKit, as adapter-node serves it. */
export const sveltekit: WebAnswers = {
  '/': {
    headers: { 'x-sveltekit-page': 'true' },
    body: html(
      '<link rel="modulepreload" href="./_app/immutable/entry/start.DsgVrNq9.js">',
      `<div style="display: contents"><script>{ __sveltekit_gizbw0 = { base: new URL(".", location).pathname.slice(0, -1) };
      Promise.all([import("./_app/immutable/entry/start.DsgVrNq9.js")]) }</script></div>`,
    ),
  },
  '/_app/version.json': { headers: { 'content-type': 'application/json' }, body: '{"version":"1763712000000"}' },
}
