/** The yardstick, in a process of its own: bare `undici` POSTs, nothing stored and nothing signed. */
import { Pool } from 'undici'

/** What to POST, where, and how often. */
export type PostTask = {
  port: number
  total: number
  /** How many POSTs precede the measurement. */
  warmUp: number
  body: string
  headers: Record<string, string>
  concurrency: number
}

const task: PostTask = JSON.parse(process.argv[2] ?? '') // given by deliver.ts
const pool = new Pool(`http://127.0.0.1:${task.port}`, { connections: task.concurrency })

let started = 0
let from = 0
async function send(): Promise<void> {
  while (started < task.total) {
    started += 1
    if (started === task.warmUp + 1) from = performance.now()
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/webhooks',
      headers: task.headers,
      body: task.body,
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`)
  }
}

await Promise.all(Array.from({ length: task.concurrency }, send))
process.send?.({ perSecond: (task.total - task.warmUp) / ((performance.now() - from) / 1000) })
