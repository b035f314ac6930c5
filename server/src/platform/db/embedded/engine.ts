/**
 * Starting and stopping PGlite. PGlite writes `process.exitCode` as if it were the program; both restore it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { EmbeddedError, reasonOf } from './errors.ts'
import type { Health } from './health.ts'
import { HostFS, startParams } from './host-fs.ts'

/** What a new database starts from: a tarball made by `dump`, or nothing. */
export type Snapshot = Uint8Array | Blob | undefined

/** A running PostgreSQL, which takes one call at a time. */
export type Engine = {
  /**
   * Runs complete frontend messages; resolves with the backend's answer, in buffers of its own, which is worth nothing if PostgreSQL
   * has aborted meanwhile.
   */
  execute(messages: Uint8Array): Promise<Uint8Array<ArrayBuffer>[]>
  /** A tarball of the data directory, checkpointed, so that a start from it has little to replay. Throws `busy` in a transaction. */
  dump(): Promise<Blob>
  /** Shuts down with a checkpoint. A broken one is left as it is: its memory must not reach the disk. */
  shutDown(): Promise<void>
}

/**
 * A megabyte per WAL segment instead of sixteen keeps a directory, and snapshots of it, small. The built-in C.UTF-8
 * sorts and folds case by PostgreSQL's own tables, the same as on a server set up with it.
 */
const INITDB = ['--wal-segsize=1', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

/** Which directory of the host to run on; `create` makes a new database in it, which the caller syncs as a whole. */
export type Start = { data: string; create?: { from: Snapshot } }

/** Starts PGlite in memory, on this thread, which every call blocks. Rejects with what PostgreSQL said when it does not come up. */
export function launchInMemory(snapshot: Snapshot, health: Health): Promise<Engine> {
  return launch({ ...from(snapshot), startParams: startParams(false) }, health)
}

/** The same on a directory of the host. */
export function launchHere({ data, create }: Start, health: Health): Promise<Engine> {
  const fs = new HostFS(data, (reason) => health.breakDown(reason))
  const made = create === undefined ? {} : from(create.from)
  return launch({ ...made, fs, startParams: startParams(create === undefined) }, health)
}

/** Options for PGlite that make a new database. */
function from(snapshot: Snapshot): PGliteOptions {
  if (snapshot === undefined) return { initDbStartParams: INITDB }
  return { loadDataDir: snapshot instanceof Blob ? snapshot : new Blob([Uint8Array.from(snapshot)]) }
}

async function launch(options: PGliteOptions, health: Health): Promise<Engine> {
  const onStderr = (line: string): boolean => {
    health.readLogLine(line)
    return false
  }
  const pglite = await keepingExitCode(async () => {
    try {
      return await PGlite.create({ ...options, onStderr })
    } catch (cause) {
      throw new Error([reasonOf(cause), health.lastWords].filter((text) => text !== '').join('; '), { cause })
    }
  })
  return {
    async execute(messages) {
      const answer: Uint8Array<ArrayBuffer>[] = []
      try {
        // The bytes are a view of WebAssembly memory that the next call overwrites.
        const onRawData = (bytes: Uint8Array): void => void answer.push(bytes.slice())
        await pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData })
      } catch (error) {
        health.breakDown('', error)
      }
      // Otherwise a client with more work queued would starve this thread's timers and sockets for as long as it has any.
      await nextTurn()
      return answer
    },
    async dump() {
      if (pglite.isInTransaction())
        throw new EmbeddedError('busy', 'A dump needs the embedded database without an open transaction.')
      await pglite.exec('CHECKPOINT')
      return pglite.dumpDataDir('none')
    },
    async shutDown() {
      if (!health.broken) await keepingExitCode(() => pglite.close())
    },
  }
}

async function keepingExitCode<T>(work: () => Promise<T>): Promise<T> {
  const before = process.exitCode
  try {
    return await work()
  } finally {
    process.exitCode = before
  }
}
