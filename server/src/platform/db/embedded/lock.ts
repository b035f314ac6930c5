/**
 * The exclusive hold on a data directory.
 *
 * Free → held (by `holdDirectory`) → free (by `release`, or by the kernel when the process dies).
 * The hold is the kernel's lock on `db.lock`, taken through SQLite's exclusive transaction, so it ends with the
 * process however that ends and is never stolen. The transaction writes: on a file that this process may only read, it would
 * otherwise begin as a reading one, which excludes nobody. It is never committed: the file stays empty.
 * `db.pid` beside it only names the holder for the message; nothing is decided by it. POSIX drops a process's locks
 * on a file when that process closes any descriptor of it: nothing in this process may open `db.lock` itself,
 * backups included.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../thrown.ts'
import { EmbeddedError, EmbeddedInUseError } from './errors.ts'

/** Names inside the data directory that belong to the lock. */
const LOCK_FILE = 'db.lock'
const PID_FILE = 'db.pid'

/** A supervisor may start the next process before the kernel has finished with the killed one. */
const ATTEMPTS = 6
const PAUSE_MS = 100

export type Hold = { release(): Promise<void> }

/**
 * Takes the exclusive hold on `dir`, which must exist. Throws `EmbeddedInUseError` after about half a second, and `not_writable` when this
 * process may not write to the lock's file.
 */
export async function holdDirectory(dir: string): Promise<Hold> {
  for (let attempt = 1; ; attempt++) {
    const lock = tryLock(join(dir, LOCK_FILE))
    if (lock) {
      await writePid(dir).catch(() => {}) // on a full disk; the message then says "another process"
      return { release: () => release(dir, lock) }
    }
    if (attempt === ATTEMPTS) throw new EmbeddedInUseError(dir, await readPid(dir))
    await sleep(PAUSE_MS)
  }
}

function tryLock(file: string): DatabaseSync | null {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1')
    return lock
  } catch (error) {
    lock?.close()
    const code = sqliteCode(error)
    if (code === SQLITE.busy) return null
    if (code === SQLITE.readonly || code === SQLITE.cannotOpen) throw notWritable(file, error)
    throw error
  }
}

/** Result codes of SQLite. */
const SQLITE = { busy: 5, readonly: 8, cannotOpen: 14 }

/** Extended codes carry the code in their low byte. */
function sqliteCode(error: unknown): number | undefined {
  if (error instanceof Error && 'errcode' in error && typeof error.errcode === 'number') return error.errcode & 255
  return undefined
}

function notWritable(file: string, cause: unknown): EmbeddedError {
  return new EmbeddedError(
    'not_writable',
    `${file} is not writable (${messageOf(cause)}), so nothing would keep a second process from the database. ` +
      'Give the file to the user who runs the service, with write access. Nothing was changed.',
    { cause },
  )
}

async function release(dir: string, lock: DatabaseSync): Promise<void> {
  if (!lock.isOpen) return
  await rm(join(dir, PID_FILE), { force: true })
  lock.close()
}

async function writePid(dir: string): Promise<void> {
  const file = join(dir, PID_FILE)
  await writeFile(`${file}.new`, `${process.pid}\n`)
  await rename(`${file}.new`, file)
}

async function readPid(dir: string): Promise<number | null> {
  const text = await readFile(join(dir, PID_FILE), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return Number.isInteger(pid) && pid > 0 ? pid : null
}
