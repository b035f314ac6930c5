import type { Site } from '@postrider/sdk'

/** What has a platform in the API. */
const PLATFORMS = {
  nextjs: 'Next.js',
  wordpress: 'WordPress',
  gatsby: 'Gatsby',
  sveltekit: 'SvelteKit',
} as const satisfies Record<Exclude<Site['platform'], 'custom'>, string>

/** What sites are made with, named for people. What has no platform is `custom` in the API. */
export const MADE_WITH = {
  ...PLATFORMS,
  astro: 'Astro',
  express: 'Express',
  hono: 'Hono',
  deno: 'Deno',
  bun: 'Bun',
  worker: 'Cloudflare Workers',
  custom: 'Other',
} as const

/** What a site is made with, by its name. */
export type Made = keyof typeof MADE_WITH

type Fields = Pick<Site, 'platform' | 'framework'>

/** What a site is made with: what was chosen when it was connected, else what was detected. */
export function madeOf({ platform, framework }: Fields): Made {
  return framework !== null && framework in MADE_WITH ? (framework as Made) : platform
}

/** How the API says it. */
export function fieldsOf(made: Made): Fields {
  const platform = made in PLATFORMS ? (made as keyof typeof PLATFORMS) : 'custom'
  return { platform, framework: made === 'custom' ? null : made }
}
