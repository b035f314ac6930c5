import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { recordingLog } from '../../test/support/log.ts'
import { systemClock } from './clock.ts'
import { createSignals } from './signals.ts'

it('a process that hears no signals says again and again that any endpoint may have changed, and nothing else', async () => {
  const refusing = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  const { port } = refusing.address() as { port: number }
  const signals = createSignals(
    `postgres://nobody@127.0.0.1:${port}/none`,
    systemClock,
    recordingLog(() => {}),
  )
  onTestFinished(async () => {
    await signals.close()
    refusing.close()
  })
  const heard: unknown[] = []
  signals.on('endpoint', (siteId) => heard.push(siteId))
  signals.on('changed', (subject) => heard.push(subject ?? 'changed'))
  await signals.ready
  await expect.poll(() => heard.length, { timeout: 10_000 }).toBeGreaterThan(2)
  expect(new Set(heard)).toEqual(new Set([undefined]))
})
