/**
 * What a site needs whose host builds it anew when posts change, by the framework it is made with: its build reads the posts. As in
 * `receivers.ts`, the dashboard shows the files in `code` unchanged.
 */
import astro from '@postrider/astro/package.json' with { type: 'json' }
import type { Site } from '@postrider/sdk'
import gatsby from 'gatsby-source-postrider/package.json' with { type: 'json' }
import { madeOf } from '../sites/made-with.ts'
import astroContent from './code/astro-content.ts.txt?raw'
import astroBlog from './code/astro-static-blog.astro.txt?raw'
import astroPost from './code/astro-static-post.astro.txt?raw'
import gatsbyBlog from './code/gatsby-blog.js.txt?raw'
import gatsbyConfig from './code/gatsby-config.js.txt?raw'
import gatsbyPost from './code/gatsby-post.js.txt?raw'
import sveltekitBlog from './code/sveltekit-blog.svelte.txt?raw'
import sveltekitPost from './code/sveltekit-post.svelte.txt?raw'
import sveltekitBlogLoad from './code/sveltekit-static-blog-load.ts.txt?raw'
import sveltekitPostLoad from './code/sveltekit-static-post-load.ts.txt?raw'
import sveltekitPosts from './code/sveltekit-static-posts.ts.txt?raw'
import { environment, type Instructions, SDK } from './receivers.ts'

const FAILS =
  'A build that cannot read this service fails with a sentence that says why, and your host keeps the site that is online.'

/** The kinds by name, in the order in which they are offered. */
export const STATIC_RECEIVERS = {
  astro: {
    name: 'Astro, built by its host',
    install: { packages: '', own: astro },
    settings: environment,
    files: [{ path: 'src/content.config.ts', text: astroContent }],
    pages: [
      { path: 'src/pages/blog/index.astro', text: astroBlog },
      { path: 'src/pages/blog/[slug].astro', text: astroPost },
    ],
    notes: ["The posts are a content collection: `getCollection('blog')`.", FAILS],
  },
  sveltekit: {
    name: 'SvelteKit, built by its host',
    install: SDK,
    settings: environment,
    files: [{ path: 'src/lib/server/posts.ts', text: sveltekitPosts }],
    pages: [
      { path: 'src/routes/blog/+page.server.ts', text: sveltekitBlogLoad },
      { path: 'src/routes/blog/+page.svelte', text: sveltekitBlog },
      { path: 'src/routes/blog/[slug]/+page.server.ts', text: sveltekitPostLoad },
      { path: 'src/routes/blog/[slug]/+page.svelte', text: sveltekitPost },
    ],
    notes: ['The pages are prerendered, so any adapter will do, adapter-static included.', FAILS],
  },
  gatsby: {
    name: 'Gatsby',
    install: { packages: '', own: gatsby },
    settings: environment,
    files: [{ path: 'gatsby-config.js', text: gatsbyConfig }],
    pages: [
      { path: 'src/pages/blog/index.js', text: gatsbyBlog },
      { path: 'src/pages/blog/{PostriderPost.slug}.js', text: gatsbyPost },
    ],
    notes: ['If there is a gatsby-config already, add the plugin to its list.', FAILS],
  },
  custom: {
    name: 'Something else, built by its host',
    install: SDK,
    settings: environment,
    files: [],
    notes: ['Read the posts with `readPosts()` of `@postrider/sdk/receiver`, or from the Pull API.', FAILS],
  },
} as const satisfies Record<string, Instructions>

/** The name of a kind. */
export type StaticReceiverName = keyof typeof STATIC_RECEIVERS

/** The names, in order. */
export const STATIC_RECEIVER_NAMES = Object.keys(STATIC_RECEIVERS) as StaticReceiverName[]

/** The kind that a connected site is of. */
export function staticReceiverOf(site: Pick<Site, 'platform' | 'framework'>): StaticReceiverName {
  return STATIC_RECEIVER_NAMES.find((name) => name === madeOf(site)) ?? 'custom'
}
