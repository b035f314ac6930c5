/** Signed webhooks for the tests of the sample site. */
import { createHmac } from 'node:crypto'

/** The site's secret, as bytes and as Postrider writes it. */
export const KEY = Buffer.alloc(24, 1)
export const SECRET = `whsec_${KEY.toString('base64')}`

/** A published post. */
export const post = {
  id: '019a3e5c-7b1e-7c4d-9f00-2b6f0d1c8a11',
  title: 'Hello <world>',
  slug: 'hello-world',
  excerpt: 'First "words".',
  body: { html: '<p>First words.</p>' },
  meta: {},
  tags: ['news'],
  version: 1,
  published_at: '2026-11-27T09:00:00.000Z',
}

/** An event about the post, some of whose fields are `changed`. */
export function event(name: string, changed: Partial<typeof post> & { previous_slugs?: string[] } = {}) {
  return { event: name, post: { ...post, ...changed }, site: { id: 'site', name: 'Kitchen & garden' } }
}

let deliveries = 0

/** Sends an event signed with a key; resolves with the status of the answer. */
export async function send(url: string, content: object, key: Buffer, id = `msg_${++deliveries}`): Promise<number> {
  const body = JSON.stringify(content)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  return (await fetch(url, { method: 'POST', body, headers })).status
}
