import type { Change } from '../platform/changes/changes.ts'

/** What it takes to announce that a delivery changed. */
export type ChangedDelivery = { id: string; accountId: string; siteId: string }

/** The changes to announce for deliveries alone. */
export function deliveryChanges(deliveries: readonly ChangedDelivery[]): Change[] {
  return deliveries.map(({ id, accountId }) => ({ owner: accountId, kind: 'delivery', id }))
}

/** The same after an attempt or an end, with the deliveries' sites, which show how deliveries go. */
export function outcomeChanges(deliveries: readonly ChangedDelivery[]): Change[] {
  const sites = new Map(deliveries.map(({ siteId, accountId }) => [siteId, accountId]))
  return [...deliveryChanges(deliveries), ...[...sites].map(([id, owner]): Change => ({ owner, kind: 'site', id }))]
}
