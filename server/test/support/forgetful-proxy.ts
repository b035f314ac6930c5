import { once } from 'node:events'
import net from 'node:net'

/**
 * A proxy to a server. `url`: the server's address through the proxy; `hold`: lets nothing through the open connections until `pass`;
 * `forget`: makes them fall silent.
 */
export type ForgetfulProxy = { url: string; hold(): void; pass(): void; forget(): void; close(): Promise<unknown> }

/** Starts a proxy to the server at this address, which can forget its connections as firewalls do, and lets new ones through. */
export async function startForgetfulProxy(address: string): Promise<ForgetfulProxy> {
  const url = new URL(address)
  const sockets = new Set<net.Socket>()
  const proxy = net.createServer((near) => {
    const far = net.connect({ host: decodeURIComponent(url.hostname), port: Number(url.port) })
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => to.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(address)
  through.host = `127.0.0.1:${(proxy.address() as net.AddressInfo).port}` // it listens on TCP
  return {
    url: through.href,
    hold() {
      for (const socket of sockets) socket.pause()
    },
    pass() {
      for (const socket of sockets) socket.resume()
    },
    forget() {
      for (const socket of sockets) socket.removeAllListeners('data').pause()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => proxy.close(resolve))
    },
  }
}
