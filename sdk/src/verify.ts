/**
 * Whether a receiver does what Postrider relies on, by sending it what it will get one day: good and forged requests, old ones, repeats, and
 * events in the wrong order. They are about a post of their own, which is removed in the end; a live site may show it for a moment.
 */

import { importSecret, sign } from './signature.ts'

/** One thing that was tried; `says` is what is wrong and what to do, or what the receiver told. */
export type ReceiverFinding = { what: string; state: 'good' | 'bad' | 'unknown'; says: string }

/** Sends a POST; resolves with the status and the text of the answer, of which 4 KiB are enough. Rejects if there is none. */
export type SendRequest = (request: {
  url: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}) => Promise<{ status: number; text: string }>

/** The receiver's address and its `webhook_secret`. */
export type VerifyReceiverOptions = { url: string; secret: string; send?: SendRequest }

const LARGE_BYTES = 9 * 1024 * 1024
const OLD_SECONDS = 600
const TIMEOUT_MS = 15_000

/** Tries a receiver; one finding after the other. Throws if the secret is none. */
export async function* verifyReceiver({
  url,
  secret,
  send = sendByFetch,
}: VerifyReceiverOptions): AsyncGenerator<ReceiverFinding> {
  const imported = await importSecret(secret)
  if (imported === undefined) throw new Error('The secret is not a webhook_secret (whsec_…).')
  const key = imported
  const post = samplePost()
  const moved = { ...post, version: 2, title: `${post.title}, changed` }
  const copied = { ...moved, meta: { ...moved.meta, canonical_url: 'https://original.example.com/' } }
  const startedAt = Math.floor(Date.now() / 1000)
  const removal = {
    event: 'post.deleted',
    post: { id: post.id, slug: post.slug },
    site: SITE,
    deleted_at: new Date().toISOString(),
  }
  const event = (name: string, of: object) => ({
    event: name,
    post: of,
    site: SITE,
    delivered_at: new Date().toISOString(),
  })

  async function answerTo(payload: object | string, { id = crypto.randomUUID(), at = startedAt, forged = false } = {}) {
    const body = new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload))
    const signature = btoa(String.fromCharCode(...(await sign(key, id, String(at), body))))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': forged ? `v1,${'A'.repeat(43)}=` : `v1,${signature}`,
    }
    return send({ url, headers, body }).catch((error) => ({
      status: 0,
      text: error instanceof Error ? error.message : String(error),
    }))
  }
  const accepts = async (what: string, payload: object, how = {}): Promise<ReceiverFinding> => {
    const { status, text } = await answerTo(payload, how)
    if (status === 200) return { what, state: 'good', says: 'answered 200' }
    return { what, state: 'bad', says: `It must be answered 200, ${answered(status, text)}` }
  }
  const refuses = async (what: string, why: string, payload: object | string, how = {}): Promise<ReceiverFinding> => {
    const { status, text } = await answerTo(payload, how)
    if (status >= 400 && status < 500) return { what, state: 'good', says: `refused with ${status}` }
    return { what, state: 'bad', says: `It must be refused, with ${why}, ${answered(status, text)}` }
  }

  const test = { event: 'site.test', test: true, post, site: SITE }
  const tested = await answerTo(test)
  if (tested.status === 0) {
    yield { what: 'the address', state: 'bad', says: `There is no answer: ${tested.text}` }
    return
  }
  yield storeOf(tested)
  yield await refuses('a forged signature', '401', event('post.published', post), { forged: true })
  yield await refuses('a request of ten minutes ago', '401', test, { at: startedAt - OLD_SECONDS })
  yield await refuses('more than 8 MiB', '413', `"${'x'.repeat(LARGE_BYTES)}"`)
  const id = crypto.randomUUID()
  yield await accepts('a new post', event('post.published', post), { id })
  yield await accepts('the same request again', event('post.published', post), { id })
  const changed = await answerTo(event('post.updated', moved), { at: startedAt + 2 })
  yield changed.status === 200
    ? { what: 'a change', state: 'good', says: 'answered 200' }
    : { what: 'a change', state: 'bad', says: `It must be answered 200, ${answered(changed.status, changed.text)}` }
  yield await accepts('the same version with the address of an original', event('post.updated', copied), {
    at: startedAt + 2,
  })
  yield await accepts('an older version after it', event('post.published', post), { at: startedAt + 1 })
  yield await accepts('a removal', removal, { at: startedAt + 3 })
  yield await accepts('the removal again', removal, { at: startedAt + 3 })
  const stranger = { ...removal, post: { id: crypto.randomUUID(), slug: 'never-sent' } }
  yield await accepts('the removal of a post that it never got', stranger, { at: startedAt + 3 })
}

const SITE = { id: '00000000-0000-4000-8000-000000000000', name: 'postrider verify' }

function samplePost() {
  const text = 'This post shows whether the site receives. It is removed at once.'
  return {
    id: crypto.randomUUID(),
    version: 1,
    title: 'A test from postrider verify',
    slug: `postrider-verify-${Date.now().toString(36)}`,
    excerpt: text,
    tags: [],
    meta: { title: null, description: null, canonical_url: null, og_image: null },
    body: {
      html: `<p>${text}</p>`,
      markdown: `${text}\n`,
      json: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] },
    },
    status: 'published',
    published_at: new Date().toISOString(),
  }
}

function storeOf({ status, text }: { status: number; text: string }): ReceiverFinding {
  const what = 'a test'
  if (status !== 200) return { what, state: 'bad', says: `It must be answered 200, ${answered(status, text)}` }
  const { store } = objectOf(text)
  return typeof store === 'string'
    ? { what, state: 'good', says: `it keeps posts in ${store}` }
    : {
        what,
        state: 'unknown',
        says: 'answered 200, but does not say {"ok": true, "store": …}: whether it can keep posts is not known',
      }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

function answered(status: number, text: string): string {
  if (status === 0) return `and there was no answer: ${text}`
  const { message = text } = objectOf(text)
  return `but was answered ${status}${message === '' ? '' : `: ${String(message).slice(0, 300)}`}`
}

const sendByFetch: SendRequest = async ({ url, headers, body }) => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  return { status: response.status, text: (await response.text()).slice(0, 4_096) }
}
