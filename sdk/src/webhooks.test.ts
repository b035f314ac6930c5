import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from './webhooks.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const body = JSON.stringify({
  event: 'post.deleted',
  post: { id: '1', slug: 'ü' },
  site: { id: '2' },
  deleted_at: '2026-11-02T08:00:00.000Z',
})
const sentAt = new Date('2026-11-02T08:00:00Z')
const headers = {
  'webhook-id': 'delivery-1',
  'webhook-timestamp': String(sentAt.getTime() / 1000),
  'webhook-signature': new Webhook(secret).sign('delivery-1', sentAt, body),
}
const genuine = { body, headers, secret, now: sentAt.getTime() }

describe('verifying a webhook', () => {
  it('accepts what the Standard Webhooks library signed, in every form of body and headers', async () => {
    const expected = { deliveryId: 'delivery-1', event: JSON.parse(body) }
    expect(await verifyWebhook(genuine)).toEqual(expected)
    expect(await verifyWebhook({ ...genuine, body: new TextEncoder().encode(body) })).toEqual(expected)
    expect(await verifyWebhook({ ...genuine, headers: new Headers(headers) })).toEqual(expected)
    const capitals = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
    expect(await verifyWebhook({ ...genuine, headers: Object.fromEntries(capitals) })).toEqual(expected)
    const foreign = { get: (name: string) => new Headers(headers).get(name) }
    expect(await verifyWebhook({ ...genuine, headers: foreign })).toEqual(expected)
  })

  it('accepts one of several signatures', async () => {
    const several = { ...headers, 'webhook-signature': `v1a,xxxx v1,AAAA ${headers['webhook-signature']}` }
    expect((await verifyWebhook({ ...genuine, headers: several })).deliveryId).toBe('delivery-1')
  })

  it.each([
    ['a changed body', { body: `${body} ` }],
    ['another secret', { secret: `whsec_${randomBytes(32).toString('base64')}` }],
    ['another id', { headers: { ...headers, 'webhook-id': 'delivery-2' } }],
    ['another time', { headers: { ...headers, 'webhook-timestamp': String(sentAt.getTime() / 1000 + 1) } }],
    ['a signature that is no base64', { headers: { ...headers, 'webhook-signature': 'v1,***' } }],
    [
      'a signature of an unknown kind',
      { headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v9,') } },
    ],
  ])('refuses %s', async (_name, change) => {
    await expect(verifyWebhook({ ...genuine, ...change })).rejects.toMatchObject({ reason: 'bad_signature' })
  })

  it('refuses what is too old, or not of this time at all', async () => {
    await expect(verifyWebhook({ ...genuine, now: sentAt.getTime() + 301_000 })).rejects.toMatchObject({
      reason: 'too_old',
    })
    await expect(verifyWebhook({ ...genuine, now: sentAt.getTime() - 301_000 })).rejects.toMatchObject({
      reason: 'too_old',
    })
    await expect(
      verifyWebhook({ ...genuine, headers: { ...headers, 'webhook-timestamp': 'soon' } }),
    ).rejects.toMatchObject({ reason: 'too_old' })
    expect((await verifyWebhook({ ...genuine, now: sentAt.getTime() + 299_000 })).deliveryId).toBe('delivery-1')
  })

  it.each([
    ['none', undefined],
    ['what a parser made of it', JSON.parse(body)],
    ['a buffer without a view', new ArrayBuffer(8)],
  ])('refuses a body that is not raw: %s', async (_name, given) => {
    await expect(verifyWebhook({ ...genuine, body: given as never })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason: 'malformed_body',
    })
  })

  it.each(Object.keys(headers))('refuses a request without %s', async (name) => {
    await expect(verifyWebhook({ ...genuine, headers: { ...headers, [name]: undefined } })).rejects.toMatchObject({
      reason: 'missing_header',
    })
  })

  it('does not fall back to the signature that leaves out the time', async () => {
    const only = {
      'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'x-service-timestamp': '1',
    }
    await expect(verifyWebhook({ ...genuine, headers: only })).rejects.toMatchObject({ reason: 'missing_header' })
  })

  it('says so when the secret is none', async () => {
    await expect(verifyWebhook({ ...genuine, secret: 'whsec_' })).rejects.toMatchObject({ reason: 'bad_secret' })
  })
})
