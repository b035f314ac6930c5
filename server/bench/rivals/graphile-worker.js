// graphile-worker with its batching: jobs are fetched 500 at a time and completed in batches.
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { completed, post, task } from './sender.js'

const logger = new Logger(() => () => {})
const utils = await makeWorkerUtils({ connectionString: task.url, logger })
await utils.migrate()
for (let from = 0; from < task.total; from += 1_000) {
  await utils.addJobs(
    Array.from({ length: Math.min(1_000, task.total - from) }, (_, index) => ({
      identifier: 'post',
      payload: { delivery: from + index },
    })),
  )
}
await utils.release()
const runner = await run({
  taskList: { post },
  preset: {
    worker: {
      connectionString: task.url,
      logger,
      concurrentJobs: 256,
      maxPoolSize: 10,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  logger,
  noHandleSignals: true,
})
runner.events.on('job:complete', () => completed())
