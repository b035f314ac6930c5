import { parseConfig } from '../../platform/config.ts'
import { createEgress, type Egress } from '../../platform/egress/egress.ts'
import { VERSION } from '../../version.ts'
import type { Invocation } from '../command.ts'

/**
 * The way out to a receiver that an author names: to this machine and to public addresses, unless WEBHOOK_ALLOW says otherwise. What else is in
 * the environment is about other programs: it may be that of the receiver.
 */
export function receiverEgress({ WEBHOOK_ALLOW = 'loopback', DELIVERY_TIMEOUT }: Invocation['env']): {
  egress: Egress
  deadlineMs: number
} {
  const { webhookAllow: allow, deliveryTimeoutMs: deadlineMs } = parseConfig({ WEBHOOK_ALLOW, DELIVERY_TIMEOUT })
  return { egress: createEgress({ allow, userAgent: `Postrider/${VERSION}` }), deadlineMs }
}
