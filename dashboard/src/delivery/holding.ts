/** What a site has of a post, as its deliveries tell it. */
import type { LoggedDelivery } from '@postrider/sdk'

/**
 * `current`: it has accepted the newest version sent; `earlier`: an older one; `coming`: none yet, but one is on its way;
 * `refused`: it was sent the post and never accepted it. A site from which the post is removed has nothing: `undefined`.
 */
export type Holding = 'current' | 'earlier' | 'coming' | 'refused'

/** The sites that were sent the post and not told to remove it since, with what each has. `deliveries`: newest first. */
export function holdingsOf(deliveries: readonly LoggedDelivery[]): Map<string, Holding> {
  const bySite = Map.groupBy(deliveries, ({ site_id: id }) => id)
  return new Map([...bySite].flatMap(([id, ofSite]) => holdingOf(ofSite).map((holding) => [id, holding] as const)))
}

function holdingOf([newest, ...earlier]: readonly LoggedDelivery[]): Holding[] {
  if (newest === undefined || newest.event === 'post.deleted') return []
  if (isAccepted(newest)) return ['current']
  const accepted = earlier.find(isAccepted)
  if (accepted !== undefined && accepted.event !== 'post.deleted') return ['earlier']
  return [newest.status === 'pending' ? 'coming' : 'refused']
}

const isAccepted = ({ status }: LoggedDelivery) => status === 'delivered' || status === 'delivered_retry'

/** What a site has, in a few words; `updates`: a change is about to be sent to it. */
export function holdingText(holding: Holding, updates: boolean): string {
  const [plain, updating] = TEXTS[holding]
  return updates ? updating : plain
}

const TEXTS: Record<Holding, [plain: string, updating: string]> = {
  current: ['Has it', 'Has it and gets the update'],
  earlier: ['Has an earlier version', 'Has an earlier version and gets the update'],
  coming: ['On its way', 'On its way; gets the update'],
  refused: ['Has not accepted it yet', 'Has not accepted it yet; gets the update'],
}
