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

/** What a site is made with: what was detected or chosen as its platform, else what was chosen when it was connected. */
export function madeOf({ platform, framework }: Fields): Made {
  const isKnown = framework !== null && Object.hasOwn(MADE_WITH, framework)
  return platform === 'custom' && isKnown ? (framework as Made) : platform
}

/** How the API says it. */
export function fieldsOf(made: Made): Fields {
  const platform = made in PLATFORMS ? (made as keyof typeof PLATFORMS) : 'custom'
  return { platform, framework: made === 'custom' ? null : made }
}
