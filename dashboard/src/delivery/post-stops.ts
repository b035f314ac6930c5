/** A post of a list, as a row of stops. */
import type { ListedPost, Site } from '@postrider/sdk'
import { standingOf } from './standing.ts'
import type { Stop } from './stops.tsx'

/**
 * How a post stands at each site, in the order of the sites; empty for an unpublished post that no site has. A site from which
 * the post was removed counts as not having it; only a removal that has not arrived yet is shown.
 */
export function stopsOf({ status, deliveries }: ListedPost, sites: readonly Site[]): Stop[] {
  const bySite = new Map(deliveries.map((delivery) => [delivery.site_id, delivery]))
  const stops = sites.map((site): Stop => {
    const delivery = bySite.get(site.id)
    const standing = delivery === undefined ? 'absent' : standingOf(delivery, site)
    if (delivery?.event !== 'post.deleted') return { site: site.name, standing }
    const removed = ['arrived', 'arrived-late', 'overtaken'].includes(standing)
    return removed ? { site: site.name, standing: 'absent' } : { site: site.name, standing, removal: true }
  })
  return status !== 'published' && stops.every(({ standing }) => standing === 'absent') ? [] : stops
}
