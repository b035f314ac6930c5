/** The module that thread.test.ts runs. */
import { parentPort, threadId } from 'node:worker_threads'

parentPort?.on('message', (question: 'who' | 'fail' | 'grow') => {
  if (question === 'fail') throw new Error('no answer')
  const grown: number[][] = []
  while (question === 'grow') grown.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5))
  parentPort?.postMessage(threadId)
})
