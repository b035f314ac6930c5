import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { recordingLog } from '../../../test/support/log.ts'
import { createListener } from './listener.ts'
import type { Pipeline } from './pipeline.ts'

const STALLED_MS = 2_000
/** More than the buffers of both sockets hold. */
const ANSWER = 'x'.repeat(32 * 1024 * 1024)

it('gives up a client that takes nothing of its answer, but none that is slow or has to wait', async () => {
  const pipeline: Pipeline = async (_, url, response) => {
    if (url === '/late') await sleep(2 * STALLED_MS)
    response.end(url === '/late' ? 'late' : ANSWER)
  }
  const ctx = { ids: { next: () => 'id' }, log: recordingLog(() => {}) }
  const server = createListener(ctx, pipeline, STALLED_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  const ask = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    await once(socket, 'readable')
    return socket
  }
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
  const [stalled, slow] = [await ask(), await ask()]
  expect(await connections()).toBe(2)
  const late = fetch(`http://127.0.0.1:${port}/late`, { headers: { connection: 'close' } })

  let taken = 0
  const takeUpTo = async (bytes: number) => {
    while (taken < bytes) {
      const part: Buffer | null = slow.read()
      if (part === null) await once(slow, 'readable')
      else taken += part.length
    }
  }
  for (let step = 1; step <= 8; step += 1) {
    await sleep(STALLED_MS / 4)
    await takeUpTo((ANSWER.length * step) / 8)
  }
  expect(await (await late).text()).toBe('late')
  await expect.poll(connections, { timeout: 10_000 }).toBe(0)
  stalled.destroy()
})
