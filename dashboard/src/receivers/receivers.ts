/**
 * What a site needs to receive posts, by the framework it is made with. The dashboard shows the files in `code` unchanged, and
 * `test/receivers.test.ts` runs them unchanged; everything specific to one site is in its settings.
 */
import { connectionCode, type Site } from '@postrider/sdk'
import astroBlog from './code/astro-blog.astro.txt?raw'
import astro from './code/astro-endpoint.ts.txt?raw'
import astroPost from './code/astro-post.astro.txt?raw'
import express from './code/express.ts.txt?raw'
import gatsby from './code/gatsby-function.ts.txt?raw'
import gatsbyNode from './code/gatsby-node.ts.txt?raw'
import hono from './code/hono.ts.txt?raw'
import nextjsBlog from './code/nextjs-blog.tsx.txt?raw'
import nextjsStart from './code/nextjs-instrumentation.ts.txt?raw'
import nextjsPost from './code/nextjs-post.tsx.txt?raw'
import nextjs from './code/nextjs-route.ts.txt?raw'
import postrider from './code/postrider.ts.txt?raw'
import sveltekitBlog from './code/sveltekit-blog.svelte.txt?raw'
import sveltekitBlogLoad from './code/sveltekit-blog-load.ts.txt?raw'
import sveltekitStart from './code/sveltekit-hooks.ts.txt?raw'
import sveltekitPost from './code/sveltekit-post.svelte.txt?raw'
import sveltekitPostLoad from './code/sveltekit-post-load.ts.txt?raw'
import sveltekit from './code/sveltekit-server.ts.txt?raw'

/** A file of the site, with its path there. */
type CodeFile = { path: string; text: string }

/** The settings of one site; `service` is the address of this service. */
export type Settings = { secret: string; key: string; siteId: string; service: string }

/** How sites of one kind receive. */
export type Receiver = {
  name: string
  /** Its name in the API. */
  platform: Site['platform']
  /** The path of its webhooks, below the site's address. */
  webhookPath: string
  /** A command to run first. */
  install?: string
  /** Or what to download from this service, and where it is installed. */
  download?: { path: string; steps: string }
  settings: (settings: Settings) => CodeFile
  files: readonly CodeFile[]
  /** Starter pages that show what was received: all posts, and one. */
  pages?: readonly CodeFile[]
  note?: string
}

function environment({ secret, key, siteId, service }: Settings): CodeFile {
  const lines = {
    POSTRIDER_SECRET: secret,
    POSTRIDER_KEY: key,
    POSTRIDER_SITE: siteId,
    POSTRIDER_URL: service,
  }
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`)
  return { path: '.env', text: text.join('') }
}

const INSTALL = 'npm install @postrider/sdk'
const NODE_RUNS_IT =
  'With "type": "module" in package.json, Node 22.18 or later runs it as it is: node --env-file=.env server.ts. Posts are kept as files in content/posts, and posts() reads them.'
const KEPT_IN_FILES =
  'Posts are kept as files in content/posts, and posts() reads them. On Vercel, Netlify and the like there is no disk that lasts: use your database in read, write, change and posts.'

/** The receivers by name, in the order in which they are offered. */
export const RECEIVERS = {
  nextjs: {
    name: 'Next.js',
    platform: 'nextjs',
    webhookPath: '/api/postrider',
    install: INSTALL,
    settings: environment,
    files: [
      { path: 'lib/postrider.ts', text: postrider },
      { path: 'app/api/postrider/route.ts', text: nextjs },
      { path: 'instrumentation.ts', text: nextjsStart },
    ],
    pages: [
      { path: 'app/blog/page.tsx', text: nextjsBlog },
      { path: 'app/blog/[slug]/page.tsx', text: nextjsPost },
    ],
    note: `With cacheComponents, Next.js sends the frame of a page before it looks for the post, so one that has moved or is gone is answered with status 200. ${KEPT_IN_FILES}`,
  },
  sveltekit: {
    name: 'SvelteKit',
    platform: 'sveltekit',
    webhookPath: '/api/postrider',
    install: INSTALL,
    settings: environment,
    files: [
      { path: 'src/lib/server/postrider.ts', text: postrider },
      { path: 'src/routes/api/postrider/+server.ts', text: sveltekit },
      { path: 'src/hooks.server.ts', text: sveltekitStart },
    ],
    pages: [
      { path: 'src/routes/blog/+page.server.ts', text: sveltekitBlogLoad },
      { path: 'src/routes/blog/+page.svelte', text: sveltekitBlog },
      { path: 'src/routes/blog/[slug]/+page.server.ts', text: sveltekitPostLoad },
      { path: 'src/routes/blog/[slug]/+page.svelte', text: sveltekitPost },
    ],
    note: `SvelteKit 3 wants the four settings declared in src/env.ts, with defineEnvVars of @sveltejs/kit/env. ${KEPT_IN_FILES}`,
  },
  astro: {
    name: 'Astro',
    platform: 'custom',
    webhookPath: '/api/postrider',
    install: INSTALL,
    settings: environment,
    files: [
      { path: 'src/lib/postrider.ts', text: postrider },
      { path: 'src/pages/api/postrider.ts', text: astro },
    ],
    pages: [
      { path: 'src/pages/blog/index.astro', text: astroBlog },
      { path: 'src/pages/blog/[slug].astro', text: astroPost },
    ],
    note: `To begin with what is there already, call catchUp() of src/lib/postrider.ts once, on the site’s server. ${KEPT_IN_FILES}`,
  },
  gatsby: {
    name: 'Gatsby',
    platform: 'gatsby',
    webhookPath: '/api/postrider',
    install: INSTALL,
    settings: (settings) => {
      const { path, text } = environment(settings)
      return { path, text: `${text}BUILD_HOOK_URL=https://…\n` }
    },
    files: [
      { path: 'src/api/postrider.ts', text: gatsby },
      { path: 'gatsby-node.ts', text: gatsbyNode },
    ],
    note: 'Gatsby reads .env.production for a build and .env.development while you develop; gatsby-node sees only what your host or dotenv puts in the environment. BUILD_HOOK_URL is the address that makes your host start a build. Query the posts as allPostriderPost. The fields that gatsby-node.ts declares are there even without posts.',
  },
  wordpress: {
    name: 'WordPress',
    platform: 'wordpress',
    webhookPath: '/wp-json/postrider/v1/webhook',
    download: {
      path: '/packages/postrider-wordpress.zip',
      steps:
        'In WordPress, choose Plugins → Add New → Upload Plugin, upload the file as it is, and activate the plugin.',
    },
    settings: ({ service, siteId, key, secret }) => ({
      path: 'Settings → Postrider, Connection code',
      text: connectionCode({ url: service, site: siteId, key, secret }),
    }),
    files: [],
    note: 'Posts that you edit in WordPress stay as you made them. Posts that are removed go to the trash. Without pretty permalinks the webhook address is /?rest_route=/postrider/v1/webhook.',
  },
  express: {
    name: 'Express, or another Node server',
    platform: 'custom',
    webhookPath: '/webhooks/postrider',
    install: 'npm install express @postrider/sdk',
    settings: environment,
    files: [
      { path: 'postrider.ts', text: postrider },
      { path: 'server.ts', text: express },
    ],
    note: NODE_RUNS_IT,
  },
  hono: {
    name: 'Hono',
    platform: 'custom',
    webhookPath: '/webhooks/postrider',
    install: 'npm install hono @hono/node-server @postrider/sdk',
    settings: environment,
    files: [
      { path: 'postrider.ts', text: postrider },
      { path: 'server.ts', text: hono },
    ],
    note: NODE_RUNS_IT,
  },
} as const satisfies Record<string, Receiver>

/** The name of a receiver. */
export type ReceiverName = keyof typeof RECEIVERS

/** The names, in order. */
export const RECEIVER_NAMES = Object.keys(RECEIVERS) as ReceiverName[]

/** The receiver to offer for a platform. */
export function receiverFor(platform: Site['platform']): ReceiverName {
  return platform === 'custom' ? 'express' : platform
}
