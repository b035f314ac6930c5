import type { Selectable } from 'kysely'

/** What a site runs on (specification, section 2). */
export const PLATFORMS = ['nextjs', 'wordpress', 'gatsby', 'sveltekit', 'custom'] as const
export type Platform = (typeof PLATFORMS)[number]

type SitesTable = {
  id: string
  account_id: string
  name: string
  url: string
  platform: Platform
  /** Whether the user chose the platform; detection never overwrites that. */
  platform_given: boolean
  niche: string
  /** When the site is to be looked at to find its platform; null: nothing to do. */
  detect_at: Date | null
  /** How many looks at its present address were begun. */
  detect_tries: number
  api_key_sealed: Buffer
  api_key_index: Buffer
  created_at: Date
}

/** A row of `sites`. */
export type SiteRow = Selectable<SitesTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    sites: SitesTable
  }
}
