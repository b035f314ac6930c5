// pg-boss: eight loops that fetch, send and complete batches of 64. Its own workers wait half a second between batches.
import { PgBoss } from 'pg-boss'
import { completed, post, task } from './sender.js'

const boss = new PgBoss({ connectionString: task.url })
boss.on('error', (error) => console.error(error))
await boss.start()
await boss.createQueue('deliveries')
for (let from = 0; from < task.total; from += 1_000) {
  await boss.insert(
    'deliveries',
    Array.from({ length: Math.min(1_000, task.total - from) }, (_, index) => ({ data: { delivery: from + index } })),
  )
}
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) {
      const jobs = await boss.fetch('deliveries', { batchSize: 64 })
      if (jobs.length === 0) return
      await Promise.all(jobs.map(post))
      await boss.complete(
        'deliveries',
        jobs.map(({ id }) => id),
      )
      completed(jobs.length)
    }
  }),
)
