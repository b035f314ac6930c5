import type { Site } from '@postrider/sdk'

/** The platforms' names for people. */
export const PLATFORM_NAMES: Record<Site['platform'], string> = {
  nextjs: 'Next.js',
  wordpress: 'WordPress',
  gatsby: 'Gatsby',
  sveltekit: 'SvelteKit',
  custom: 'Other',
}
