/**
 * Makes a new database in a process of its own, which ends when it is done: initdb needs 350 MB, of which this process would keep
 * some 140 MB for good.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { EmbeddedError, type EmbeddedErrorCode } from './errors.ts'

/** What the process says if it fails. */
export type Refusal = { refused: string; code: EmbeddedErrorCode | undefined }

/** Makes a new data directory in `data`, without syncing. Rejects with what PostgreSQL said when it cannot. */
export async function createApart(data: string): Promise<void> {
  const child = fork(new URL('./create-process.ts', import.meta.url), [data], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let refusal: Refusal | undefined
  child.on('message', (said: Refusal) => {
    refusal = said
  })
  const [code, signal] = await once(child, 'close')
  if (refusal?.code !== undefined) throw new EmbeddedError(refusal.code, refusal.refused)
  if (refusal !== undefined) throw new Error(refusal.refused)
  if (code !== 0) throw new Error(`the process that creates it ended with ${signal ?? `code ${code}`}`)
}
