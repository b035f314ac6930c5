/** Tools that tell of sites and deliveries, and that send again what has failed. */
import type { DeliveryPage, DeliveryRequeued, LoggedDelivery, SiteList } from '@postrider/sdk'
import { z } from 'zod'
import { troubleshoot } from '../deliveries/index.ts'
import { shortened, tool } from './tool.ts'

const MOST_SITES = 50
const MOST_DELIVERIES = 100
const MOST_FAILURES = 20
const MOST_NAME_BYTES = 80

export const listSites = tool({
  name: 'list_sites',
  title: 'List the connected sites',
  description: `Returns up to ${MOST_SITES} sites, with what each lacks.`,
  uses: ['listSites'],
  readOnly: true,
  input: z.strictObject({ search: z.string().optional().describe('A part of the name or the address.') }),
  async run(call, { search = '' }) {
    const { body } = await call<SiteList>('listSites')
    const wanted = search.toLowerCase()
    const found = body.sites.filter(({ name, url }) => `${name} ${url}`.toLowerCase().includes(wanted))
    return {
      sites: found.slice(0, MOST_SITES).map(({ id, name, url, status, delivery_stats: stats }) => ({
        id,
        name: shortened(name, MOST_NAME_BYTES),
        url,
        status,
        delivered_percent: stats.success_rate,
        ...(stats.missing > 0 ? { missing_posts: stats.missing } : {}),
        ...(stats.not_live > 0 ? { not_live_posts: stats.not_live } : {}),
      })),
      total: found.length,
    }
  },
})

/** A delivery in short, with what to do if it has not arrived. */
function standing(delivery: LoggedDelivery) {
  const { id, site_id, site_name, event, status, attempts, response_code: code, last_error: error, live } = delivery
  const hasArrived = status === 'delivered' || status === 'delivered_retry'
  return {
    delivery_id: id,
    site_id,
    site: shortened(site_name ?? '', MOST_NAME_BYTES),
    event,
    status,
    attempts,
    at: delivery.finished_at ?? delivery.created_at,
    ...(delivery.next_attempt_at === null ? {} : { next_attempt_at: delivery.next_attempt_at }),
    ...(live.state === 'unknown' ? {} : { page: live.state, url: live.url }),
    ...(hasArrived || error === null ? {} : { problem: error, advice: troubleshoot({ code, error }) }),
    ...(delivery.can_retry ? { can_retry: true } : {}),
  }
}

export const postStanding = tool({
  name: 'post_standing',
  title: 'See where a post has arrived',
  description:
    'Returns the newest delivery of a post to each site: whether it arrived, why not, and what to do about it.',
  uses: ['getPost', 'listDeliveries'],
  readOnly: true,
  input: z.strictObject({ id: z.string().describe('The id of the post.') }),
  async run(call, { id: postId }) {
    await call('getPost', { params: { id: postId } }) // one that does not exist has arrived nowhere, too
    const query = { post_id: postId, limit: MOST_DELIVERIES }
    const { body } = await call<DeliveryPage>('listDeliveries', { query })
    const newest = new Map<string, LoggedDelivery>()
    for (const one of body.data) if (!newest.has(one.site_id)) newest.set(one.site_id, one)
    return { deliveries: [...newest.values()].map(standing) }
  },
})

export const listFailures = tool({
  name: 'list_failures',
  title: 'List what has not arrived',
  description: `Returns the ${MOST_FAILURES} newest deliveries that were given up, with the reason and what to do about it.`,
  uses: ['listDeliveries'],
  readOnly: true,
  input: z.strictObject({ site_id: z.string().optional() }),
  async run(call, { site_id }) {
    const query = { status: 'failed', site_id, limit: MOST_FAILURES }
    const { body } = await call<DeliveryPage>('listDeliveries', { query })
    return {
      failures: body.data.map((one) => ({
        post_id: one.post_id,
        post: shortened(one.post_title ?? '', MOST_NAME_BYTES),
        ...standing(one),
      })),
      more: body.next_cursor !== null,
    }
  },
})

export const retryDelivery = tool({
  name: 'retry_delivery',
  title: 'Send a failed delivery again',
  description: 'Sends what a site should already have once more. It publishes nothing new.',
  uses: ['retryDelivery'],
  readOnly: false,
  input: z.strictObject({ delivery_id: z.string() }),
  async run(call, { delivery_id }) {
    const { body } = await call<DeliveryRequeued>('retryDelivery', { params: { id: delivery_id } })
    return { delivery_id: body.id, status: body.status }
  },
})
