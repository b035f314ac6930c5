/** Live updates: how a stream is opened, what it says of a burst, and how it ends. */
import { connect } from 'node:net'
import type { PostriderClient } from '@postrider/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { resetPassword } from '../src/accounts/index.ts'
import type { Change } from '../src/platform/changes/changes.ts'
import { createSignalSender } from '../src/platform/signals.ts'
import { type Following, follow, openRaw } from './support/follow.ts'
import { request } from './support/http.ts'
import { newAccount, startService, type TestService, tokenOf } from './support/service.ts'

let service: TestService
let client: PostriderClient
const open: Following[] = []

beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  client = await newAccount(service)
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => service.stop())

/** Follows an account's events until the end of the test. */
async function listen(one: PostriderClient): Promise<Following> {
  const following = await follow(one, { clock: service.clock })
  open.push(following)
  return following
}

async function ownIds(): Promise<{ accountId: string }> {
  return { accountId: (await client.account()).user.id }
}

/** Changes of so many posts, which are all gone. */
async function changesOfPosts(count: number): Promise<Change[]> {
  const { accountId: owner } = await ownIds()
  return Array.from({ length: count }, () => ({ owner, kind: 'post', id: service.ctx.ids.next() }))
}

describe('a stream of a busy account', () => {
  it('says once to fetch everything again, and does not name a thousand things', async () => {
    const stream = await listen(client)
    service.ctx.changes.announce(await changesOfPosts(1_000))
    expect(await stream.next()).toEqual({ event: 'resync', data: {} })
    const { id } = await client.posts.create({ title: 'Next' })
    expect(await stream.next()).toEqual({ event: 'post.changed', data: { ids: [id] } })
  })

  it('announces many changes of one thing in a few events', async () => {
    const stream = await listen(client)
    const { id } = await client.posts.create({ title: '0' })
    await stream.changed('post', id)
    for (let count = 1; count <= 20; count += 1) await client.posts.update(id, { title: String(count) })
    const last = await client.posts.create({ title: 'Last' })
    await stream.changed('post', last.id)
    expect(stream.seen.length).toBeLessThan(6)
  })
})

describe('a stream ends', () => {
  const statusFor = async (token: string) => (await request(`${service.url}/api/events`, { token })).status

  it('when everybody is signed out, at once, and that of others goes on', async () => {
    const stranger = await newAccount(service)
    const theirs = await listen(stranger)
    const { token, ended } = await openRaw(service, client)
    await client.auth.logoutEverywhere()
    await ended()
    expect(await statusFor(token)).toBe(401)
    const { id } = await stranger.posts.create({ title: 'Still here' })
    await theirs.changed('post', id)
  })

  it('when its own session is signed out, at once, and that of another session goes on', async () => {
    const others = await listen(client)
    const { token, ended } = await openRaw(service, client)
    expect((await request(`${service.url}/api/auth/logout`, { method: 'POST', token })).status).toBe(204)
    await ended()
    const { id } = await client.posts.create({ title: 'Still signed in' })
    await others.changed('post', id)
  })

  it.runIf(inject('database').kind === 'postgres')('when the operator resets the password, at once', async () => {
    const { token, ended } = await openRaw(service, client)
    const { db } = service.ctx
    const { email } = (await client.account()).user
    await resetPassword({ db, signals: createSignalSender(db) }, email)
    await ended()
    expect(await statusFor(token)).toBe(401)
  })

  it('when its token expires, after which it announces nothing', async () => {
    const { token, ended } = await openRaw(service, client)
    const changes = await changesOfPosts(1)
    service.clock.advance(7 * 24 * 3_600_000)
    service.ctx.changes.announce(changes)
    expect(await ended(() => service.clock.advance(5_000))).not.toContain('post.changed')
    expect(await statusFor(token)).toBe(401)
  })

  it('when its login stops being one, without anybody saying so', async () => {
    const { token, ended } = await openRaw(service, client)
    const { accountId } = await ownIds()
    await service.ctx.db.root.updateTable('accounts').set({ token_generation: 9 }).where('id', '=', accountId).execute()
    await ended(() => service.clock.advance(5_000))
    expect(await statusFor(token)).toBe(401)
  })

  it('when its reader leaves it unread, and its place is free again', async () => {
    const token = await tokenOf(service, client)
    const { accountId } = await ownIds()
    const changes = await changesOfPosts(200)
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const ended = () =>
      service.logged.find(({ event, fields }) => event === 'stream.ended' && fields.account_id === accountId)
    while (ended() === undefined) {
      service.ctx.changes.announce(changes)
      service.clock.advance(1_000)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(ended()?.fields).toMatchObject({ reason: 'too_slow' })
    socket.resume()
    await closed
  })

  it('when its reader leaves', async () => {
    const stream = await listen(client)
    const { accountId } = await ownIds()
    await stream.close()
    const ended = () =>
      service.logged.find(({ event, fields }) => event === 'stream.ended' && fields.account_id === accountId)
    while (ended() === undefined) await new Promise((resolve) => setTimeout(resolve, 1))
    expect(ended()?.fields).toMatchObject({ reason: 'left' })
  })

  it('when the service stops, which does not wait for anybody to leave', async () => {
    const stopping = await startService()
    const stream = await follow(await newAccount(stopping))
    // Its clock stands still: were it to wait for its grace to pass, this would never end.
    await stopping.stop()
    await stream.close()
  })
})

describe('opening a stream', () => {
  it('answers what nobody keeps, holds back or shares', async () => {
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${await tokenOf(service, client)}` }
    const { status, headers: answered } = await fetch(`${service.url}/api/events`, { headers, signal: leaving.signal })
    expect({ status, ...Object.fromEntries(answered) }).toMatchObject({
      status: 200,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    })
    leaving.abort()
  })

  it('works with the session cookie, for our own pages', async () => {
    const { email } = (await client.account()).user
    const body = { email, password: 'correct horse', session: 'cookie' }
    const login = await request(`${service.url}/api/auth/login`, {
      method: 'POST',
      body,
      headers: { origin: service.url },
    })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    const stream = await fetch(`${service.url}/api/events`, { headers: { cookie } })
    expect(stream.status).toBe(200)
    await stream.body?.cancel()
    expect(
      (await fetch(`${service.url}/api/events`, { headers: { cookie, origin: 'https://evil.example' } })).status,
    ).toBe(403)
  })

  /** The events that a stream opened now begins with; none when it is refused. */
  async function openedNow(): Promise<string[]> {
    const stream = await openRaw(service, client)
    const text = await stream.until(() => true)
    await stream.close()
    return Array.from(text.matchAll(/^event: (.+)$/gm), ([, name = '']) => name)
  }

  it('is refused above twenty for one account, until one is closed', async () => {
    const streams = []
    for (let count = 0; count < 20; count += 1) streams.push(await listen(client))
    const token = await tokenOf(service, client)
    const { status, json, headers } = await request(`${service.url}/api/events`, { token })
    expect({ status, ...json }).toEqual({
      status: 429,
      error: 'rate_limited',
      message: expect.stringContaining('20 event streams'),
      retry_after: 30,
    })
    expect(headers.get('retry-after')).toBe('30')
    await listen(await newAccount(service))
    await streams[0]?.close()
    // Not by the SDK: if the service has not noticed yet, it would heed the half minute.
    await expect.poll(openedNow, { timeout: 10_000 }).toEqual(['ready'])
  })

  it('takes no place when the reader leaves before the answer', async () => {
    const token = await tokenOf(service, client)
    const { port } = new URL(service.url)
    for (let count = 0; count < 30; count += 1) {
      const socket = connect(Number(port), '127.0.0.1')
      const left = new Promise((resolve) => socket.once('close', resolve))
      socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`, () =>
        socket.destroy(),
      )
      await left
    }
    await expect.poll(openedNow, { timeout: 10_000 }).toEqual(['ready'])
    expect(service.logged.filter(({ event }) => event === 'request.unsent')).toEqual([])
  })

  it('does not happen for HEAD', async () => {
    const token = await tokenOf(service, client)
    for (let count = 0; count < 25; count += 1) {
      const { status, headers } = await request(`${service.url}/api/events`, { method: 'HEAD', token })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    }
  })
})
