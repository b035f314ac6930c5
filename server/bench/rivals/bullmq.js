// BullMQ on Redis: one worker with 256 jobs at a time.
import { Queue, Worker } from 'bullmq'
import { completed, post, task } from './sender.js'

const connection = { host: '127.0.0.1', port: task.redisPort }
const queue = new Queue('deliveries', { connection })
for (let from = 0; from < task.total; from += 1_000) {
  const jobs = Array.from({ length: Math.min(1_000, task.total - from) }, (_, index) => ({
    name: 'post',
    data: { delivery: from + index },
    opts: { removeOnComplete: true },
  }))
  await queue.addBulk(jobs)
}
const worker = new Worker('deliveries', post, { connection, concurrency: 256 })
worker.on('completed', () => completed())
worker.on('error', (error) => console.error(error))
