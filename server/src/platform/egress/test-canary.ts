/** What must not be called, and how to notice that it was. */
import { type Receiver, startAnswering } from './test-receivers.ts'

const REACHED = 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\nconnection: close\r\n\r\nreached'

/** Hosts that mean this machine. */
export const LOOPBACK_SPELLINGS = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.255.255.254',
  ],
  ...['%31%32%37.0.0.1', '127。0。0。1', '１２７.0.0.1', '①②⑦.⓪.⓪.①'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['localhost', 'localhost.', 'LOCALHOST', 'sub.localhost', 'a.b.localhost.'],
]

/** Hosts that mean other addresses which nobody outside may have called. */
export const OTHER_PRIVATE = [
  ...[
    '0.0.0.0',
    '0',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
  ],
  ...['0xa9fea9fe', '2852039166', '224.0.0.1', '255.255.255.255'],
  ...[
    '[::]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...['[fd00:ec2::254]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[::ffff:10.0.0.1]', '[::ffff:a9fe:a9fe]'],
]

/** Listeners on one port of both loopback addresses, which must stay untouched. */
export async function startCanary(): Promise<{ port: number; connections: () => number }> {
  const v4 = await startAnswering(REACHED)
  const listeners: Receiver[] = [v4]
  const v6 = await startAnswering(REACHED, { host: '::1', port: v4.port }).catch(() => undefined)
  if (v6 !== undefined) listeners.push(v6)
  return { port: v4.port, connections: () => listeners.reduce((sum, { connections }) => sum + connections, 0) }
}
