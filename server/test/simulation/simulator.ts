import { openStore } from './database.ts'
import type { Story } from './story.ts'
import { type Outcome, simulate } from './world.ts'

const ACCOUNT_ID = '00000000-0000-7000-8000-000000000001'

/** Runs one story after another on one database. */
export type Simulator = { run(story: Story): Promise<Outcome>; close(): Promise<void> }

/** Opens a simulator; it takes a second or two, less from a snapshot file. */
export async function openSimulator(snapshotFile?: string): Promise<Simulator> {
  const store = await openStore(snapshotFile)
  await store.query(
    `insert into accounts (id, name, email, email_key, password_hash, plan, created_at)
     values ($1, 'Ada', 'ada@example.com', 'ada@example.com', '', 'agency', now())`,
    [ACCOUNT_ID],
  )
  return {
    async run(story) {
      await store.empty()
      return simulate(story, store, ACCOUNT_ID)
    },
    close: store.close,
  }
}
