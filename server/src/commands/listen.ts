import type { DeliveryDetails, PostriderClient } from '@postrider/sdk'
import type { Egress } from '../platform/egress/egress.ts'
import { withAccount } from './author/account.ts'
import { followDeliveries } from './author/follow.ts'
import { receiverEgress } from './author/receiver-egress.ts'
import { siteNamed } from './author/sites.ts'
import { EXIT, type Run, type Terminal, UsageError } from './command.ts'

const MOST_BYTES = 4_096

/**
 * Hands what a site is sent to a receiver on this machine, signed as for the site, until it is ended. The site gets everything as ever; what the
 * receiver answers is only printed.
 */
export const run: Run = async (invocation) => {
  const { options, env, terminal, signal } = invocation
  const { forward } = options
  if (typeof forward !== 'string' || !URL.canParse(forward))
    throw new UsageError('Say where to: --forward http://localhost:3000/webhooks/postrider')
  const { egress, deadlineMs } = receiverEgress(env)
  try {
    await withAccount(invocation, async (client) => {
      const site = await siteNamed(client, options.site)
      const onReady = () =>
        terminal.note(`What ${site.name} is sent from now on goes to ${forward}, too. Ctrl+C ends it.`)
      for await (const { delivery, isSentAgain } of followDeliveries(client, { site_id: site.id }, { onReady, signal }))
        if (isSentAgain) await hand(client, delivery.id, { egress, forward, deadlineMs, terminal })
    })
  } finally {
    await egress.close()
  }
  return EXIT.ok
}

type Target = { egress: Egress; forward: string; deadlineMs: number; terminal: Terminal }

async function hand(client: PostriderClient, id: string, { egress, forward, deadlineMs, terminal }: Target) {
  const delivery = await client.deliveries.get(id)
  if (delivery.request === null) return
  const { headers, body } = delivery.request
  const request = { method: 'POST', url: forward, headers, body: new TextEncoder().encode(body) } as const
  const outcome = await egress.send({ ...request, deadlineMs, maxResponseBytes: MOST_BYTES })
  const [mark, says] =
    outcome.kind === 'unreachable'
      ? ['✗', outcome.detail]
      : [outcome.status === 200 ? '✓' : '✗', answered(outcome.status, Buffer.from(outcome.body).toString('utf8'))]
  terminal.print(`${mark} ${nameOf(delivery)}: ${says}`)
}

const nameOf = ({ event, post_title }: DeliveryDetails) => `${event} “${post_title}”`

function answered(status: number, text: string): string {
  const [line = ''] = text.trim().split('\n')
  return status === 200 || line === '' ? `answered ${status}` : `answered ${status}: ${line}`
}
