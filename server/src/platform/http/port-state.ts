import { once } from 'node:events'
import { createServer } from 'node:net'
import { messageOf } from '../thrown.ts'

/** `free`; used by a `service` that says whether it is ready; `used` by something else; or `refused` by the system. */
export type PortState =
  | { kind: 'free' }
  | { kind: 'service'; ready: boolean; problems: string[] }
  | { kind: 'used' }
  | { kind: 'refused'; reason: string }

const ANSWER_WITHIN_MS = 2_000

/** Tries to listen where the service would; if the port is taken, asks its listener whether it is the service. */
export async function portState(host: string, port: number): Promise<PortState> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return { kind: 'free' }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return askWho(host, port)
    return { kind: 'refused', reason: messageOf(error) }
  } finally {
    server.close()
  }
}

async function askWho(host: string, port: number): Promise<PortState> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const response = await fetch(`http://${name}:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    const answer: unknown = await response.json()
    if (typeof answer !== 'object' || answer === null || !('status' in answer)) return { kind: 'used' }
    const problems = 'problems' in answer && Array.isArray(answer.problems) ? answer.problems.map(String) : []
    if (answer.status !== 'ready' && answer.status !== 'not_ready') return { kind: 'used' }
    return { kind: 'service', ready: answer.status === 'ready', problems }
  } catch {
    return { kind: 'used' }
  }
}
