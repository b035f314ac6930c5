import type { Change } from '../platform/changes/changes.ts'

/** A delivery, as far as it takes to tell that it changed. */
export type ChangedDelivery = { id: string; accountId: string; siteId: string }

/** The changes of deliveries that were made or put off. */
export function deliveryChanges(deliveries: readonly ChangedDelivery[]): Change[] {
  return deliveries.map(({ id, accountId }) => ({ owner: accountId, kind: 'delivery', id }))
}

/** The changes of deliveries that had an attempt or an end: their sites show how deliveries go. */
export function outcomeChanges(deliveries: readonly ChangedDelivery[]): Change[] {
  const sites = new Map(deliveries.map(({ siteId, accountId }) => [siteId, accountId]))
  return [...deliveryChanges(deliveries), ...[...sites].map(([id, owner]): Change => ({ owner, kind: 'site', id }))]
}
