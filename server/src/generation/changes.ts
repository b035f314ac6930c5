import type { Change } from '../platform/changes/changes.ts'

/** The change of a job that was created, made progress or was removed. */
export function jobChange(accountId: string, id: string): Change {
  return { owner: accountId, kind: 'job', id }
}
