import type { Change } from '../platform/changes/changes.ts'

/** That a job has come, moved on or gone. */
export function jobChange(accountId: string, id: string): Change {
  return { owner: accountId, kind: 'job', id }
}
