import { exampleDeliveryId, examplePost, exampleSite } from '../deliveries/index.ts'
import { exampleComplete } from '../generation/index.ts'
import { exampleSite as listedSite } from '../sites/index.ts'

const { id, version, slug, title, status, published_at } = examplePost

/** The events while the post of the examples is published, delivered and deleted. */
export const exampleEvents = {
  'The stream is complete from here on': { event: 'ready', data: {} },
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
  'It has arrived': {
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
  'How deliveries to the site have gone': { event: 'site.changed', data: listedSite },
  'A draft is written': {
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
  'The post is gone': { event: 'post.deleted', data: { id } },
  'Fetch again what you show': { event: 'resync', data: {} },
}
