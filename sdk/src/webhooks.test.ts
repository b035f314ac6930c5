import { createHmac, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
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
const right = Buffer.from(headers['webhook-signature'].slice('v1,'.length), 'base64')
const longer = Buffer.concat([right, Buffer.alloc(1)])

/** The body as `fetch` gives it and as Node does, and how much of it was taken. */
function streams(pieces: Uint8Array[]): Array<{ stream: ReadableStream | Readable; taken: () => number }> {
  const counted = () => {
    let taken = 0
    function* source() {
      for (const piece of pieces) {
        taken += piece.length
        yield piece
      }
    }
    return { source: source(), taken: () => taken }
  }
  const [web, node] = [counted(), counted()]
  return [
    { stream: ReadableStream.from(web.source), taken: web.taken },
    { stream: Readable.from(node.source, { objectMode: false }), taken: node.taken },
  ]
}

describe('verifying a webhook', () => {
  it('accepts what the Standard Webhooks library signed, in every form of body and headers', async () => {
    const expected = {
      deliveryId: 'delivery-1',
      event: JSON.parse(body),
      sentAt: Number(genuine.headers['webhook-timestamp']),
    }
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

  it('hashes the body once, however many signatures the header has', async () => {
    const hashing = (['sign', 'verify', 'digest'] as const).map((name) => vi.spyOn(crypto.subtle, name))
    const wrong = Array.from({ length: 300 }, (_, index) => `v1,${Buffer.alloc(32, index).toString('base64')}`)
    const many = [...Array(3_000).fill('v1,'), ...wrong].join(' ')
    const refused = verifyWebhook({ ...genuine, headers: { ...headers, 'webhook-signature': many } })
    await expect(refused).rejects.toMatchObject({ reason: 'bad_signature' })
    expect(hashing.flatMap(({ mock }) => mock.calls)).toHaveLength(1)
    const last = { ...headers, 'webhook-signature': `${many} ${headers['webhook-signature']}` }
    expect((await verifyWebhook({ ...genuine, headers: last })).deliveryId).toBe('delivery-1')
    vi.restoreAllMocks()
  })

  it('accepts a stream, and reads it once', async () => {
    const bytes = Buffer.from(body)
    const bytewise = Array.from(bytes, (byte) => Uint8Array.of(byte))
    for (const { stream, taken } of [...streams([bytes]), ...streams(bytewise)]) {
      const { event } = await verifyWebhook({ ...genuine, body: stream })
      expect([event, taken()]).toEqual([JSON.parse(body), bytes.length])
    }
    expect((await verifyWebhook({ ...genuine, body: new Response(body).body })).deliveryId).toBe('delivery-1')
    const large = Buffer.from(JSON.stringify({ event: 'site.test', text: 'x'.repeat(100_000) }))
    const signed = { ...headers, 'webhook-signature': new Webhook(secret).sign('delivery-1', sentAt, String(large)) }
    for (const { stream } of streams([large.subarray(0, 7), large.subarray(7, 60_000), large.subarray(60_000)])) {
      const { event } = await verifyWebhook({ ...genuine, headers: signed, body: stream })
      expect(event).toEqual(JSON.parse(String(large)))
    }
  })

  it('refuses a stream of more than the limit, and lets the rest of it pass', async () => {
    const mebibytes = Array.from({ length: 40 }, () => Buffer.alloc(1024 * 1024))
    for (const { stream, taken } of streams(mebibytes)) {
      await expect(verifyWebhook({ ...genuine, body: stream })).rejects.toMatchObject({
        reason: 'too_large',
        status: 413,
      })
      await expect.poll(taken).toBe(40 * 1024 * 1024)
    }
    const [enough] = streams([Buffer.from(body)])
    const maxBytes = Buffer.byteLength(body)
    const read = verifyWebhook({ ...genuine, body: enough?.stream ?? null, maxBytes })
    expect((await read).deliveryId).toBe('delivery-1')
    const [more] = streams([Buffer.from(`${body} `)])
    const refused = verifyWebhook({ ...genuine, body: more?.stream ?? null, maxBytes })
    await expect(refused).rejects.toMatchObject({ reason: 'too_large' })
  })

  it('passes on that the stream broke off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
    await expect(verifyWebhook({ ...genuine, body: broken })).rejects.toThrow('aborted')
  })

  it.each([
    ['a changed body', { body: `${body} ` }],
    ['another secret', { secret: `whsec_${randomBytes(32).toString('base64')}` }],
    ['another id', { headers: { ...headers, 'webhook-id': 'delivery-2' } }],
    ['another time', { headers: { ...headers, 'webhook-timestamp': String(sentAt.getTime() / 1000 + 1) } }],
    ['an empty signature', { headers: { ...headers, 'webhook-signature': 'v1,' } }],
    [
      'a signature of zeros',
      { headers: { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` } },
    ],
    [
      'a part of the signature',
      { headers: { ...headers, 'webhook-signature': `v1,${right.toString('base64', 0, 31)}` } },
    ],
    ['the signature and more', { headers: { ...headers, 'webhook-signature': `v1,${longer.toString('base64')}` } }],
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
    ['none, as a request has it', null],
    ['what a parser made of it', JSON.parse(body)],
    ['a buffer without a view', new ArrayBuffer(8)],
  ])('refuses a body that is not raw: %s', async (_name, given) => {
    await expect(verifyWebhook({ ...genuine, body: given as never })).rejects.toMatchObject({
      name: 'WebhookVerificationError',
      reason: 'malformed_body',
      status: 401,
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
