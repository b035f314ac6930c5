/**
 * Whether the embedded database came back with all that was known to be on disk.
 *
 * PostgreSQL replays the WAL up to the first record that it cannot read, and takes that for its end. After a disk or a copy has lost the
 * end of the WAL, it therefore starts as if the last commits had never been. So maintenance notes in a file how far the WAL is on disk,
 * and the next opening compares this with where recovery ended. Commits after the last note are not compared.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNoSuchFile } from '../../thrown.ts'
import type { RunStatement } from './maintenance.ts'

const NOTE = 'flushed.lsn'
const LSN = /^[0-9A-F]+\/[0-9A-F]+$/

/** WAL positions (such as `0/1A2B3C8`): how far it was known to be on disk, and how far recovery found it. */
export type LostWal = { known: string; recovered: string }

/**
 * What is missing from the WAL of the database that was opened in `home`, or undefined. The first statement after opening: it reads where
 * the last checkpoint is, which recovery and an orderly end both write behind everything else.
 */
export async function findLostWal(home: string, run: RunStatement): Promise<LostWal | undefined> {
  const known = await readNote(home)
  if (known === undefined) return undefined
  const { rows } = await run(
    `SELECT checkpoint_lsn AS recovered, checkpoint_lsn < '${known}' AS short FROM pg_control_checkpoint()`,
  )
  return rows[0]?.short === true ? { known, recovered: String(rows[0].recovered) } : undefined
}

/** Notes how far the WAL is on disk. `noted` is what the last call returned: the file is written only when there is more. */
export async function noteFlushed(home: string, run: RunStatement, noted: string | undefined): Promise<string> {
  const { rows } = await run('SELECT pg_current_wal_flush_lsn() AS flushed')
  const flushed = String(rows[0]?.flushed)
  if (flushed === noted) return flushed
  const next = join(home, `${NOTE}.partial`)
  await writeFile(next, `${flushed}\n`, { flush: true })
  await rename(next, join(home, NOTE)) // which need not be synced: the former note is true as well
  return flushed
}

async function readNote(home: string): Promise<string | undefined> {
  try {
    const text = (await readFile(join(home, NOTE), 'utf8')).trim()
    return LSN.test(text) ? text : undefined
  } catch (error) {
    if (isNoSuchFile(error)) return undefined
    throw error
  }
}
