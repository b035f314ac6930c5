/** Single looks at pages of real servers, and what is not called. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Egress } from '../platform/egress/egress.ts'
import { LOOPBACK_SPELLINGS, OTHER_PRIVATE, startCanary } from '../platform/egress/test-canary.ts'
import { startAnswering, startEgress } from '../platform/egress/test-receivers.ts'
import { lookAtPage } from './look.ts'

const post = { id: '01a19b45-1c2d-7e3f-8a4b-5c6d7e8f9a0b', version: 1, title: 'Rye bread', meta: {} }
const shown = '<title>Rye bread</title>'
const never = new AbortController().signal
const look = (egress: Egress, url: string) => lookAtPage(egress, new URL(url), post, never)

/** A site on 127.0.0.2, which plays a public address: it is allowed, while 127.0.0.1 is not. */
async function serve(listener: RequestListener, host = '127.0.0.2'): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host}:${(server.address() as AddressInfo).port}` // it listens on TCP
}
const publicEgress = () => startEgress({ allow: { cidrs: ['127.0.0.2/32'] } })
/** With deadlines of a fortieth, so that the test does not wait for them. */
function hastyEgress(): Egress {
  const egress = publicEgress()
  return { ...egress, send: (request) => egress.send({ ...request, deadlineMs: request.deadlineMs / 40 }) }
}

describe('a page', () => {
  it.each([
    [200, 'wrong', 'The page answers, but neither the title nor the id of the post is in it.'],
    [404, 'gone', 'The page answers 404: there is nothing at the address.'],
    [410, 'gone', 'The page answers 410: there is nothing at the address.'],
    [403, 'wrong', 'The page answers 403: the site, or a firewall before it, does not let Postrider see it.'],
    [500, 'wrong', 'The page answers 500.'],
  ])('that answers %i is %s', async (status, state, problem) => {
    const url = await serve((_, response) => response.writeHead(status).end('<h1>Hello</h1>'))
    expect(await look(publicEgress(), url)).toMatchObject({ state, problem })
  })

  it('that does not answer is wrong; one that never ends is judged by what came', async () => {
    const silent = await serve(() => {})
    expect(await look(hastyEgress(), silent)).toMatchObject({
      state: 'wrong',
      problem: 'The page did not answer within 10 seconds.',
    })
    const endless = await serve((_, response) => void response.writeHead(200).write(shown))
    expect(await look(hastyEgress(), endless)).toMatchObject({ state: 'verified', problem: null })
  })

  it('that is huge is read up to half a mebibyte', async () => {
    const [before, after] = ['x'.repeat(500_000), 'x'.repeat(10_000_000)]
    const early = await serve((_, response) => response.end(before + shown + after))
    expect((await look(publicEgress(), early)).state).toBe('verified')
    const late = await serve((_, response) => response.end(after + shown))
    expect((await look(publicEgress(), late)).state).toBe('wrong')
  })

  it('that is compressed unasked says so; one in another encoding is read', async () => {
    const packed = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(shown)),
    )
    expect((await look(publicEgress(), packed)).problem).toContain('compressed')
    const latin = await serve((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
        .end(Buffer.from('<h1>Süßes Brot</h1>', 'latin1')),
    )
    const sweet = { ...post, title: 'Süßes Brot' }
    expect((await lookAtPage(publicEgress(), new URL(latin), sweet, never)).state).toBe('verified')
  })

  it('is found by redirects within the site, not by five of them', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end(shown)
      else response.writeHead(308, { location: `/${left - 1}` }).end()
    })
    expect((await look(publicEgress(), `${url}/4`)).state).toBe('verified')
    expect(await look(publicEgress(), `${url}/5`)).toMatchObject({
      state: 'wrong',
      problem: 'The page redirects more than 4 times, or away from https.',
    })
  })
})

describe('nothing is called', () => {
  it.each([...LOOPBACK_SPELLINGS, ...OTHER_PRIVATE])('at %s, by http and https', async (host) => {
    const canary = await startCanary()
    for (const scheme of ['http', 'https'])
      expect(await look(startEgress({ allow: 'none' }), `${scheme}://${host}:${canary.port}/post`)).toMatchObject({
        state: 'wrong',
        problem: 'The page is at an address that this service does not call, such as a private one.',
      })
    expect(canary.connections()).toBe(0)
  })

  it.each(LOOPBACK_SPELLINGS)('where a page redirects to %s, allowed or not', async (host) => {
    const canary = await startCanary()
    // Headers carry bytes: those of UTF-8 reach the reader as they are.
    const location = Buffer.from(`http://${host}:${canary.port}/post`).toString('latin1')
    const site = await serve((_, response) => response.writeHead(302, { location }).end())
    for (const egress of [publicEgress(), startEgress()])
      expect(await look(egress, site)).toMatchObject({
        state: 'wrong',
        problem: expect.stringMatching(/which is not the site|to nowhere/),
      })
    expect(canary.connections()).toBe(0)
  })

  it('where the name of a site comes to mean a private address', async () => {
    const canary = await startCanary()
    const site = await startAnswering(
      'HTTP/1.1 302 Found\r\nlocation: /there\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
      { host: '127.0.0.2', port: canary.port },
    )
    const answers = ['127.0.0.2', '127.0.0.1']
    const egress = startEgress({
      allow: { cidrs: ['127.0.0.2/32'] },
      lookup: (_name, _options, callback) =>
        setImmediate(() => callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }])),
    })
    expect((await look(egress, `http://blog.example:${site.port}/post`)).problem).toContain('does not call')
    expect(site.requests).toBe(1)
    expect(canary.connections()).toBe(0)
  })
})
