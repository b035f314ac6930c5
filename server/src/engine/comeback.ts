/** The job that finds out whether a site works again (`deliveries/recovery.ts`). Whoever changes what decides that may ask for it. */
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { addJob } from '../platform/jobs/queue.ts'

/** The kind of the job; its key is the site's id. */
export const PROBE_JOB = 'probe-site'

/** Has a site that recovers by itself tried in `inMs`, if it lacks anything then. It changes nothing if that is planned already. */
export async function askForProbe(
  ctx: Pick<Context, 'clock' | 'signals'>,
  tx: Tx,
  { siteId, accountId }: { siteId: string; accountId: string },
  inMs: number,
): Promise<void> {
  await addJob(ctx, tx, { kind: PROBE_JOB, key: siteId, accountId, payload: {} }, inMs)
}
