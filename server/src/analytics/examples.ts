/** The deliveries of the documentation's examples. */
import { exampleDeliveryId } from '../deliveries/index.ts'
import { examplePost } from '../posts/index.ts'
import { exampleSite } from '../sites/index.ts'

/** A month in which one delivery failed. */
export const exampleOverview = {
  period: { from: '2026-10-03T08:00:00.000Z', to: '2026-11-02T08:00:00.000Z' },
  totals: {
    deliveries: 42,
    successful: 41,
    failed: 1,
    retried: 3,
    success_rate: 97.6,
    avg_delivery_ms: 118.4,
    posts_published: 17,
  },
  sites: [{ id: exampleSite.id, name: exampleSite.name, deliveries: 42, success_rate: 97.6 }],
}

/** Three days of that month. */
export const exampleTimeline = {
  granularity: 'day',
  site_id: null,
  data: [
    { date: '2026-10-31', delivered: 3, failed: 0, retried: 1, avg_ms: 131.2 },
    { date: '2026-11-01', delivered: 0, failed: 0, retried: 0, avg_ms: null },
    { date: '2026-11-02', delivered: 1, failed: 0, retried: 0, avg_ms: 84 },
  ],
}

const delivery = {
  id: exampleDeliveryId,
  event: 'post.published',
  site_id: exampleSite.id,
  site_name: exampleSite.name,
  status: 'delivered_retry',
  attempts: 2,
  created_at: '2026-11-02T08:00:00.000Z',
  next_attempt_at: null,
  response_code: 200,
  response_time_ms: 84,
  last_error: null,
}
const deliveredAt = '2026-11-02T08:00:30.402Z'
const metadata = { path: '/blog/bread-without-kneading', build: 1874 }

/** A delivery that took two attempts, and that the site confirmed. */
export const exampleDeliveries = {
  post_id: examplePost.id,
  post_title: examplePost.title,
  deliveries: [
    {
      ...delivery,
      delivered_at: deliveredAt,
      metadata,
      history: [
        { attempt: 1, at: '2026-11-02T08:00:00.214Z', code: 503, error: 'http_error' },
        { attempt: 2, at: '2026-11-02T08:00:30.402Z', code: 200, error: null },
      ],
    },
  ],
}

/** The same delivery in the log. */
export const exampleLogged = {
  ...delivery,
  post_id: examplePost.id,
  post_title: examplePost.title,
  post_deleted: false,
  site_deleted: false,
  finished_at: deliveredAt,
  live: {
    state: 'verified',
    url: 'https://kitchen.example.com/posts/bread-without-kneading',
    checked_at: '2026-11-02T08:00:35.611Z',
    problem: null,
  },
  late_by_seconds: null,
  can_retry: false,
}

/** The same delivery with all details. */
export const exampleDetails = {
  ...exampleLogged,
  webhook_url: 'https://kitchen.example.com/webhooks/postrider',
  metadata,
  history: [
    {
      attempt: 1,
      at: '2026-11-02T08:00:00.214Z',
      code: 503,
      error: 'http_error',
      took_ms: 41,
      response: 'The kitchen is being cleaned. Come back in a moment.',
    },
    { attempt: 2, at: '2026-11-02T08:00:30.402Z', code: 200, error: null, took_ms: 84, response: null },
  ],
  request: {
    method: 'POST',
    url: 'https://kitchen.example.com/webhooks/postrider',
    headers: {
      'content-type': 'application/json',
      'x-service-event': delivery.event,
      'x-service-delivery': delivery.id,
      'x-service-timestamp': '1793606460',
    },
    body: `{"event":"${delivery.event}","post":{"id":"${examplePost.id}"}}`,
  },
}

/** The delivery that failed. */
export const exampleFailures = {
  failures: [
    {
      post_id: examplePost.id,
      post_title: examplePost.title,
      site_id: exampleSite.id,
      failed_at: '2026-11-02T08:35:30.950Z',
      attempts: 4,
      last_error: 'connection_refused',
      last_response_code: null,
      can_retry: true,
    },
  ],
}

/** It is queued again. */
export const exampleRetry = {
  job_id: '01a19b6a-3d40-7e82-9b17-4c5f2a8d0e36',
  status: 'queued',
  message: 'One delivery is queued again.',
}
