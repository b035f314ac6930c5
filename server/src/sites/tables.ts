import type { Selectable } from 'kysely'

/** The platforms of sites (specification, section 2). */
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
