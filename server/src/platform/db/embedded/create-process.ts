/**
 * The process that create.ts starts: makes a new database in the directory that its argument names. PostgreSQL runs on a thread, so
 * that this process notices when the one that waits for it has died, and ends too.
 */

import type { Refusal } from './create.ts'
import { EmbeddedError, reasonOf } from './errors.ts'
import { Health } from './health.ts'
import { launchOnThread } from './worker-thread.ts'

process.once('disconnect', () => process.exit(1))

const [, , data = ''] = process.argv
const health = new Health(() => undefined)
try {
  const engine = await launchOnThread({ data, create: { from: undefined } }, health)
  await engine.shutDown()
  if (health.broken) throw health.broken
  process.exit(0)
} catch (error) {
  const refusal: Refusal = { refused: reasonOf(error), code: error instanceof EmbeddedError ? error.code : undefined }
  process.send?.(refusal, () => process.exit(1))
}
