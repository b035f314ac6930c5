/** Which sites a post is for, in words. Pure. */
import type { Site } from '@postrider/sdk'
import { counted } from '../format.ts'

/** The ids of sites; null: all, also those connected later. */
export type Audience = readonly string[] | null

const LIST = new Intl.ListFormat('en-GB')
const MOST_NAMED = 3

/** `all sites, also those you add later`, `Journal and Kitchen`, `5 of 8 sites`, `no site`; for the middle of a sentence. */
export function audienceText(audience: Audience, sites: readonly Pick<Site, 'id' | 'name'>[]): string {
  if (audience === null) return 'all sites, also those you add later'
  const names = namesOf(audience, sites)
  if (names.length === 0) return 'no site'
  if (names.length <= MOST_NAMED) return LIST.format(names)
  return `${names.length} of ${counted(sites.length, 'site')}`
}

/** `Journal, Kitchen and 3 others`. */
export function sitesText(ids: readonly string[], sites: readonly Pick<Site, 'id' | 'name'>[]): string {
  const names = namesOf(ids, sites)
  if (names.length <= MOST_NAMED) return LIST.format(names)
  return LIST.format([...names.slice(0, MOST_NAMED - 1), counted(names.length - MOST_NAMED + 1, 'other')])
}

const namesOf = (ids: readonly string[], sites: readonly Pick<Site, 'id' | 'name'>[]) =>
  sites.filter(({ id }) => ids.includes(id)).map(({ name }) => name)

/** Whether two audiences are the same. */
export function isSameAudience(a: Audience, b: Audience): boolean {
  if (a === null || b === null) return a === b
  return a.length === b.length && a.every((id) => b.includes(id))
}

/** The sites of an audience that are sent what is published now: paused ones are passed over. */
export function receivingOf(audience: Audience, sites: readonly Pick<Site, 'id' | 'status'>[]): string[] {
  return sites
    .filter(({ id, status }) => status !== 'inactive' && (audience === null || audience.includes(id)))
    .map(({ id }) => id)
}

/** What changes for the sites when a published post is for others: those that get it, and those that are asked to remove it. */
export function audienceChange(
  before: Audience,
  after: Audience,
  sites: readonly Pick<Site, 'id' | 'status'>[],
): { coming: string[]; leaving: string[] } {
  const belongs = (audience: Audience, id: string) => audience === null || audience.includes(id)
  return {
    coming: receivingOf(after, sites).filter((id) => !belongs(before, id)),
    leaving: sites.map(({ id }) => id).filter((id) => belongs(before, id) && !belongs(after, id)),
  }
}
