/**
 * What a site needs to receive posts, by the framework it is made with. The dashboard shows the files in `code` unchanged, and
 * `test/receivers.test.ts` runs them unchanged; everything specific to one site is in its connection code.
 */

import next from '@postrider/next/package.json' with { type: 'json' }
import type { Site } from '@postrider/sdk'
import sdk from '@postrider/sdk/package.json' with { type: 'json' }
import { fieldsOf, madeOf } from '../sites/made-with.ts'
import astroBlogPage from './code/astro-blog.astro.txt?raw'
import astroBlog from './code/astro-blog.ts.txt?raw'
import astro from './code/astro-endpoint.ts.txt?raw'
import astroPost from './code/astro-post.astro.txt?raw'
import blog from './code/blog.ts.txt?raw'
import bun from './code/bun.ts.txt?raw'
import deno from './code/deno.ts.txt?raw'
import express from './code/express.ts.txt?raw'
import hono from './code/hono.ts.txt?raw'
import nextjsBlog from './code/nextjs-blog.ts.txt?raw'
import nextjsPage from './code/nextjs-page.ts.txt?raw'
import nextjsProxy from './code/nextjs-proxy.ts.txt?raw'
import nextjs from './code/nextjs-route.ts.txt?raw'
import sveltekitBlog from './code/sveltekit-blog.svelte.txt?raw'
import sveltekitBlogLoad from './code/sveltekit-blog-load.ts.txt?raw'
import sveltekitPost from './code/sveltekit-post.svelte.txt?raw'
import sveltekitPostLoad from './code/sveltekit-post-load.ts.txt?raw'
import sveltekit from './code/sveltekit-server.ts.txt?raw'
import worker from './code/worker.ts.txt?raw'
import type { Install } from './install-command.ts'

/** A file of the site, with its path there. */
type CodeFile = { path: string; text: string }

/** What a site of one kind needs, and what its owner is told. */
export type Instructions = {
  name: string
  /** What to install of npm's registry, and of this service. */
  install?: Install
  /** Or what to download from this service, and where it is installed. */
  download?: { path: string; steps: string }
  /** Where the site's connection code goes. */
  settings: (code: string, siteUrl: string) => CodeFile
  files: readonly CodeFile[]
  /** Starter pages that show what was received: all posts, and one. */
  pages?: readonly CodeFile[]
  /** Further sentences, a paragraph each; what is between backticks is code. */
  notes?: readonly string[]
}

/** How sites of one kind receive webhooks. */
export type Receiver = Instructions & {
  /** The path of its webhooks, below the site's address. */
  webhookPath: string
  /** Whether its answers say where a post is shown. */
  saysWhere?: true
}

/** The setting of a site, as a line of its environment. */
export function environment(code: string): CodeFile {
  return { path: '.env', text: `POSTRIDER_CONNECTION=${code}\n` }
}

/** The same for a server of one's own, which listens where the site is, if its address says on which port. */
function serverEnvironment(code: string, siteUrl: string): CodeFile {
  const { port } = new URL(siteUrl)
  const { path, text } = environment(code)
  return { path, text: port === '' ? text : `${text}PORT=${port}\n` }
}

/** The SDK and nothing else. */
export const SDK = { packages: '', own: sdk }
const NODE_RUNS_IT = [
  'Node 22.18 or later runs it as it is, with `"type": "module"` in package.json: `node --env-file=.env server.ts`.',
  'Posts are kept as files in content/posts, which Git should ignore; stores for PostgreSQL, SQLite and Redis are in `@postrider/sdk/receiver`.',
]
const READS_THE_SERVICE =
  'The site keeps nothing: pages read this service and remember what they read, and a webhook says what is out of date. So a deploy loses nothing, and it works on hosts without a disk.'

/** The receivers by name, in the order in which they are offered. */
export const RECEIVERS = {
  nextjs: {
    name: 'Next.js',
    webhookPath: '/api/postrider',
    saysWhere: true,
    install: { packages: '', own: next },
    settings: (code, siteUrl) => ({ path: '.env.local', text: `${environment(code).text}SITE_URL=${siteUrl}\n` }),
    files: [
      { path: 'lib/blog.ts', text: nextjsBlog },
      { path: 'app/api/postrider/route.ts', text: nextjs },
      { path: 'app/blog/[[...path]]/page.ts', text: nextjsPage },
      { path: 'proxy.ts', text: nextjsProxy },
    ],
    notes: [
      'If your site has a folder src, put the four files into that.',
      READS_THE_SERVICE,
      'The package’s README says how to give the pages your own look, and how to add a feed and a sitemap.',
    ],
  },
  sveltekit: {
    name: 'SvelteKit, on a server',
    webhookPath: '/api/postrider',
    saysWhere: true,
    install: SDK,
    settings: environment,
    files: [
      { path: 'src/lib/server/blog.ts', text: blog },
      { path: 'src/routes/api/postrider/+server.ts', text: sveltekit },
    ],
    pages: [
      { path: 'src/routes/blog/+page.server.ts', text: sveltekitBlogLoad },
      { path: 'src/routes/blog/+page.svelte', text: sveltekitBlog },
      { path: 'src/routes/blog/[slug]/+page.server.ts', text: sveltekitPostLoad },
      { path: 'src/routes/blog/[slug]/+page.svelte', text: sveltekitPost },
    ],
    notes: [READS_THE_SERVICE, 'With adapter-node, set `BODY_SIZE_LIMIT=8M` as well: long posts exceed its 512 kB.'],
  },
  astro: {
    name: 'Astro, on a server',
    webhookPath: '/api/postrider',
    saysWhere: true,
    install: SDK,
    settings: environment,
    files: [
      { path: 'src/lib/blog.ts', text: astroBlog },
      { path: 'src/pages/api/postrider.ts', text: astro },
    ],
    pages: [
      { path: 'src/pages/blog/index.astro', text: astroBlogPage },
      { path: 'src/pages/blog/[slug].astro', text: astroPost },
    ],
    notes: [READS_THE_SERVICE, 'Astro needs an adapter for this, such as `@astrojs/node`.'],
  },
  wordpress: {
    name: 'WordPress',
    webhookPath: '/wp-json/postrider/v1/webhook',
    saysWhere: true,
    download: {
      path: '/packages/postrider-wordpress.zip',
      steps:
        'In WordPress, choose Plugins → Add New → Upload Plugin, upload the file as it is, and activate the plugin.',
    },
    settings: (code) => ({ path: 'Settings → Postrider, Connection code', text: code }),
    files: [],
    notes: [
      'Posts that you edit in WordPress stay as you made them. Posts that are removed go to the trash.',
      'Without pretty permalinks the webhook address is `/?rest_route=/postrider/v1/webhook`.',
    ],
  },
  express: {
    name: 'Express, or another Node server',
    webhookPath: '/webhooks/postrider',
    saysWhere: true,
    install: { packages: 'express', own: sdk },
    settings: serverEnvironment,
    files: [{ path: 'server.ts', text: express }],
    notes: NODE_RUNS_IT,
  },
  hono: {
    name: 'Hono',
    webhookPath: '/webhooks/postrider',
    saysWhere: true,
    install: { packages: 'hono @hono/node-server', own: sdk },
    settings: serverEnvironment,
    files: [{ path: 'server.ts', text: hono }],
    notes: NODE_RUNS_IT,
  },
  deno: {
    name: 'Deno',
    webhookPath: '/webhooks/postrider',
    saysWhere: true,
    install: SDK,
    settings: serverEnvironment,
    files: [{ path: 'server.ts', text: deno }],
    notes: [
      'Start it with `deno run --allow-all --env-file server.ts`. Posts are kept in the SQLite database posts.db.',
    ],
  },
  bun: {
    name: 'Bun',
    webhookPath: '/webhooks/postrider',
    saysWhere: true,
    install: SDK,
    settings: serverEnvironment,
    files: [{ path: 'server.ts', text: bun }],
    notes: ['Start it with `bun server.ts`. Posts are kept in the SQLite database posts.db.'],
  },
  worker: {
    name: 'Cloudflare Workers',
    webhookPath: '/webhooks/postrider',
    saysWhere: true,
    install: SDK,
    settings: (code) => ({ ...environment(code), path: '.dev.vars' }),
    files: [{ path: 'src/index.ts', text: worker }],
    notes: [
      '`wrangler dev` reads .dev.vars when it starts. For the deployed Worker, run `wrangler secret put POSTRIDER_CONNECTION`; this service must be reachable from the internet then.',
      'TypeScript knows the setting once wrangler.jsonc has `"secrets": { "required": ["POSTRIDER_CONNECTION"] }` and `wrangler types` has run.',
      `${READS_THE_SERVICE} Cloudflare runs a Worker in many places: those that no webhook reached show a change within a minute.`,
      'To keep posts in D1 instead, give `createBlog` the store `d1Store(env.DB)` of `@postrider/sdk/receiver`, and call `blog.catchUp()` in a cron trigger.',
    ],
  },
} as const satisfies Record<string, Receiver>

/** The name of a receiver. */
export type ReceiverName = keyof typeof RECEIVERS

/** The names, in order. */
export const RECEIVER_NAMES = Object.keys(RECEIVERS) as ReceiverName[]

/** The receiver of a platform; undefined if it has none of its own. */
export function receiverFor(platform: Site['platform']): ReceiverName | undefined {
  return platform === 'custom' || platform === 'gatsby' ? undefined : platform
}

/** The receiver of a connected site: what was chosen, else as far as its platform and its webhook address tell. */
export function receiverOf(site: Pick<Site, 'platform' | 'framework' | 'webhook_url'>): ReceiverName {
  const isThere = (name: ReceiverName) => {
    const receiver: Receiver = RECEIVERS[name]
    return fieldsOf(name).platform === site.platform && site.webhook_url.endsWith(receiver.webhookPath)
  }
  return RECEIVER_NAMES.find((name) => name === madeOf(site)) ?? RECEIVER_NAMES.find(isThere) ?? 'express'
}
