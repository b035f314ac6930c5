import type { Database, Tx } from '../../src/platform/db/database.ts'

/** Does something in a transaction, as another client would; the returned function commits it. */
export async function holdTransaction(db: Database, work: (tx: Tx) => Promise<unknown>): Promise<() => Promise<void>> {
  const { promise: released, resolve: commit } = Promise.withResolvers<void>()
  const { promise: done, resolve: finish, reject } = Promise.withResolvers<void>()
  const ended = db
    .tx(async (tx) => {
      await work(tx)
      finish()
      await released
    })
    .catch(reject)
  await done
  return () => {
    commit()
    return ended
  }
}
