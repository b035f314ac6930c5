import { exampleDeliveryId, examplePost, exampleSite } from '../deliveries/index.ts'
import { exampleComplete } from '../generation/index.ts'
import { exampleSite as listedSite } from '../sites/index.ts'

const { id, version, slug, title, status, published_at } = examplePost

/** The events while the post of the examples is published, delivered and deleted. */
export const exampleEvents = {
  'From here on the stream is complete': { event: 'ready', data: {} },
  'A post was published': {
    event: 'post.changed',
    data: {
      id,
      version,
      slug,
      title,
      status,
      scheduled_at: null,
      published_at,
      created_at: '2026-11-02T07:59:00.000Z',
      updated_at: '2026-11-02T07:59:00.000Z',
    },
  },
  'A delivery has succeeded': {
    event: 'delivery.changed',
    data: {
      id: exampleDeliveryId,
      post_id: id,
      site_id: exampleSite.id,
      event: 'post.published',
      status: 'delivered',
      attempts: 1,
      created_at: '2026-11-02T08:00:00.000Z',
      delivered_at: '2026-11-02T08:00:00.412Z',
      next_attempt_at: null,
      response_code: 200,
      response_time_ms: 84,
      last_error: null,
    },
  },
  'A site has new delivery results': { event: 'site.changed', data: listedSite },
  'A draft is complete': {
    event: 'job.changed',
    data: {
      id: exampleComplete.job_id,
      status: exampleComplete.status,
      progress: exampleComplete.progress,
      post_id: id,
      error: null,
      created_at: exampleComplete.created_at,
      finished_at: exampleComplete.finished_at,
    },
  },
  'A post was deleted': { event: 'post.deleted', data: { id } },
  'Fetch everything again': { event: 'resync', data: {} },
}
