/** A Redis server of the test's own, and the few lines of its protocol (RESP2) that a test needs. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SendCommand } from './redis.ts'

/** Whether there is a `redis-server` here. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Starts one that keeps nothing on disk. */
export async function startRedis(): Promise<{ send: SendCommand; stop(): Promise<void> }> {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo // it listens on TCP
  free.close()
  const server = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  })
  const socket = await connected(port)
  let buffer = ''
  const waiting: Array<(answer: unknown) => void> = []
  socket.setEncoding('latin1').on('data', (data) => {
    buffer += data
    for (let read = readAnswer(buffer, 0); read !== undefined; read = readAnswer(buffer, 0)) {
      buffer = buffer.slice(read.end)
      waiting.shift()?.(read.value)
    }
  })
  return {
    async send(command) {
      const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
      const answer = await new Promise((resolve) => {
        waiting.push(resolve)
        socket.write(`*${command.length}\r\n${parts.join('')}`)
      })
      if (answer instanceof Error) throw answer
      return answer
    },
    async stop() {
      socket.destroy()
      server.kill()
      await once(server, 'close')
    },
  }
}

async function connected(port: number) {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return socket
    } catch {
      await pause(20)
    }
  }
}

type Read = { value: unknown; end: number }

function readAnswer(text: string, from: number): Read | undefined {
  const line = text.indexOf('\r\n', from)
  if (line < 0) return undefined
  const [kind, rest, next] = [text[from], text.slice(from + 1, line), line + 2]
  if (kind === '-') return { value: new Error(rest), end: next }
  if (kind === '+') return { value: rest, end: next }
  if (kind === ':') return { value: Number(rest), end: next }
  const length = Number(rest)
  if (length < 0) return { value: null, end: next }
  if (kind === '$') {
    if (text.length < next + length + 2) return undefined
    return { value: Buffer.from(text.slice(next, next + length), 'latin1').toString('utf8'), end: next + length + 2 }
  }
  const list: unknown[] = []
  let end = next
  while (list.length < length) {
    const item = readAnswer(text, end)
    if (item === undefined) return undefined
    list.push(item.value)
    end = item.end
  }
  return { value: list, end }
}
