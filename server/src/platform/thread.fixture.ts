/** The module that thread.test.ts runs. */
import { parentPort, threadId } from 'node:worker_threads'

parentPort?.on('message', (question: 'who' | 'fail' | 'leave' | 'answer and fail') => {
  if (question === 'fail') throw new Error('no answer')
  if (question === 'leave') process.exit()
  parentPort?.postMessage(threadId)
  if (question === 'answer and fail')
    setImmediate(() => {
      throw new Error('too late')
    })
})
