// What every rival does for a job: POST the body to the receiver. Rivals record nothing but that the job is done.
import { Pool } from 'undici'

/** The task as the bench gives it: where to POST, what, and how many times. */
export const task = JSON.parse(process.argv[2])

const pool = new Pool(`http://127.0.0.1:${task.port}`, { connections: 256 })
let done = 0
let startedAt = 0
let started = 0

/** Sends one POST; the clock starts after the first `warmUp`. Throws unless the answer is 200. */
export async function post() {
  started += 1
  if (started === task.warmUp + 1) startedAt = performance.now()
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/webhooks',
    headers: task.headers,
    body: task.body,
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`)
}

/** To be called when the rival has recorded jobs as done. After the last one, the process tells the bench how fast it was. */
export function completed(jobs = 1) {
  done += jobs
  if (done === task.total)
    process.send({ perSecond: (task.total - task.warmUp) / ((performance.now() - startedAt) / 1000) })
}
