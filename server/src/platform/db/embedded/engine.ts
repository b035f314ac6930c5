/**
 * Starting and stopping PGlite. PGlite writes `process.exitCode` as if it were the program; both restore it.
 */
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { EmbeddedError, reasonOf } from './errors.ts'
import type { Health } from './health.ts'
import { HostFS, startParams } from './host-fs.ts'

/** What a new database starts from: a tarball made by `dump`, or nothing. */
export type Snapshot = Uint8Array | Blob | undefined

/**
 * A megabyte per WAL segment instead of sixteen keeps a directory, and snapshots of it, small. The built-in C.UTF-8
 * sorts and folds case by PostgreSQL's own tables, the same as on a server set up with it.
 */
const INITDB = ['--wal-segsize=1', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

/** Options for PGlite on a host directory that exists; without `sync` the caller syncs the files. */
export function onHost(data: string, health: Health, sync: boolean): PGliteOptions {
  const fs = new HostFS(data, (reason) => health.breakDown(reason))
  return { fs, startParams: startParams(sync) }
}

/** Options for PGlite in memory. */
export function inMemory(): PGliteOptions {
  return { startParams: startParams(false) }
}

/** Options for PGlite that make a new database. */
export function from(snapshot: Snapshot): PGliteOptions {
  if (snapshot === undefined) return { initDbStartParams: INITDB }
  return { loadDataDir: snapshot instanceof Blob ? snapshot : new Blob([Uint8Array.from(snapshot)]) }
}

/** Starts PGlite; rejects with what PostgreSQL said when it does not come up. */
export function launch(options: PGliteOptions, health: Health): Promise<PGlite> {
  const onStderr = (line: string): boolean => {
    health.hear(line)
    return false
  }
  return keepingExitCode(async () => {
    try {
      return await PGlite.create({ ...options, onStderr })
    } catch (cause) {
      throw new Error([reasonOf(cause), health.lastWords].filter((text) => text !== '').join('; '), { cause })
    }
  })
}

/** Shuts PGlite down with a checkpoint. A broken one is left as it is: its memory must not reach the disk. */
export async function shutDown(pglite: PGlite, health: Health): Promise<void> {
  if (health.broken) return
  await keepingExitCode(() => pglite.close())
}

/** A tarball of the data directory, checkpointed, so that a start from it has little to replay. */
export async function dump(pglite: PGlite): Promise<Blob> {
  if (pglite.isInTransaction())
    throw new EmbeddedError('busy', 'A dump needs the embedded database without an open transaction.')
  await pglite.exec('CHECKPOINT')
  return pglite.dumpDataDir('none')
}

async function keepingExitCode<T>(work: () => Promise<T>): Promise<T> {
  const before = process.exitCode
  try {
    return await work()
  } finally {
    process.exitCode = before
  }
}
