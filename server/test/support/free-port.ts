import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const closed = once(listener, 'close')
  listener.close()
  await closed
  if (address === null || typeof address === 'string') throw new Error('no TCP port')
  return address.port
}
