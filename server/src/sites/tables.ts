import type { ColumnType, Generated, Selectable } from 'kysely'

/** The platforms of sites (specification, section 2). */
export const PLATFORMS = ['nextjs', 'wordpress', 'gatsby', 'sveltekit', 'custom'] as const
export type Platform = (typeof PLATFORMS)[number]

/** The kinds of sites, by what they are sent: signed webhooks, or a request to the host's deploy hook. */
export const SITE_KINDS = ['webhook', 'build_hook'] as const
export type SiteKind = (typeof SITE_KINDS)[number]

/** Whether what failed waits for somebody to send it again, or goes by itself once the site accepts requests. */
export const RECOVERIES = ['manual', 'automatic'] as const
export type Recovery = (typeof RECOVERIES)[number]

/** Whose address a site names as that of a post with an original: the original's, or its own. */
export const CANONICALS = ['primary', 'own'] as const
export type SiteCanonical = (typeof CANONICALS)[number]

/**
 * What came of a site's last test, in a sentence. `store`: where the site says that it keeps posts; `previews`: it says that it shows previews;
 * tests of before this was asked for do not have it.
 */
export type LastTest = { at: string; ok: boolean; store: string | null; previews?: boolean; message: string }

type SitesTable = {
  id: string
  account_id: string
  name: string
  url: string
  platform: Platform
  /** Whether the user chose the platform; detection never overwrites that. */
  platform_given: boolean
  /** What its owner says that it is made with; the dashboard knows what to make of it. */
  framework: string | null
  niche: string
  /** The pattern of a post's address on the site (`post-url.ts`). */
  post_url: string | null
  canonical: Generated<SiteCanonical>
  api_key_sealed: Buffer
  api_key_index: Buffer
  /** Null until the site is tested, and again when its webhook address changes. */
  last_test: ColumnType<LastTest | null, string | null | undefined, string | null>
  created_at: Date
}

/** A row of `sites`. */
export type SiteRow = Selectable<SitesTable>

declare module '../platform/db/tables.ts' {
  interface Tables {
    sites: SitesTable
  }
}
