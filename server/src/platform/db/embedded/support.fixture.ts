import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Worker } from 'node:worker_threads'
import { onTestFinished, vi } from 'vitest'
import { embeddedTemplates } from '../../../../test/support/embedded-templates.ts'
import { openTmpdir, unprivilegedUser } from '../../../../test/support/postgres/unprivileged.ts'
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from './open-embedded.ts'

const CHILD = join(import.meta.dirname, 'child.fixture.ts')
const PREVIOUS_PGLITE = join(import.meta.dirname, 'previous-pglite.fixture.ts')

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-embedded-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/** A directory in which every user may do anything; gone after the test. */
export async function openDirectory(): Promise<string> {
  const dir = await mkdtemp(join(await openTmpdir(), 'postrider-open-'))
  await chmod(dir, 0o777)
  onTestFinished(() => rm(dir, { recursive: true }))
  return dir
}

/** Does `work` as a user whom permissions bind: as `nobody`, if the tests run as root. Nothing else of this process may go on meanwhile. */
export async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  const { uid } = await unprivilegedUser()
  if (uid === undefined) return work()
  process.seteuid?.(uid)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

/** An empty database. */
export async function emptySnapshot(): Promise<Blob> {
  const { empty, remove } = await embeddedTemplates()
  const snapshot = new Blob([await readFile(empty)])
  await remove()
  return snapshot
}

/** A directory with a database that has the service's tables; gone after the test. A snapshot would take seconds to start from. */
export async function migratedDirectory(): Promise<string> {
  const [dir, { directory, remove }] = await Promise.all([temporaryDirectory(), embeddedTemplates()])
  await cp(directory, dir, { recursive: true })
  await remove()
  return dir
}

/** A file with a snapshot, for `startChild`. */
export async function fileOf(snapshot: Blob): Promise<string> {
  const file = join(await temporaryDirectory(), 'snapshot.tar')
  await writeFile(file, Buffer.from(await snapshot.arrayBuffer()))
  return file
}

/** Opens a database that the test's end closes. */
export async function open(
  options: Omit<EmbeddedOptions, 'log'> & Partial<EmbeddedOptions>,
): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ log: () => {}, ...options })
  onTestFinished(() => database.close())
  return database
}

/** The thread of the database that `query` asks. */
export async function threadOf(query: () => Promise<unknown>): Promise<Worker> {
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  await query()
  const thread = post.mock.contexts[0]
  post.mockRestore()
  if (!(thread instanceof Worker)) throw new Error('the query ran on this thread')
  return thread
}

export type Child = {
  pid: number
  /** Complete lines printed so far. */
  lines: string[]
  /** Resolves when `line` has been printed, or nothing more will be. */
  printed: (line: string) => Promise<void>
  /** Resolves with its exit code once it has ended and all its lines are there. */
  ended: () => Promise<number | null>
  /** Ends it with SIGKILL and waits until it is gone. */
  kill: () => Promise<void>
}

type Mode = 'hold' | 'write' | 'leave'

/** Starts the child in `child.fixture.ts`. */
export function startChild(mode: Mode, dir: string, snapshotFile?: string): Child {
  return start([CHILD, mode, dir, ...(snapshotFile ? [snapshotFile] : [])])
}

/** The same on the previous version of PGlite. */
export function startPreviousChild(mode: Mode, dir: string): Child {
  return start([CHILD, mode, dir], { NODE_OPTIONS: `--import ${PREVIOUS_PGLITE}` })
}

function start(args: string[], env: NodeJS.ProcessEnv = {}): Child {
  const process_ = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const reader = createInterface({ input: process_.stdout })
  let silent = false
  const closed = once(reader, 'close').then(() => {
    silent = true
  })
  reader.on('line', (line) => lines.push(line))
  const ended = async (): Promise<number | null> => {
    await Promise.all([gone(process_), closed])
    return process_.exitCode
  }
  const kill = async (): Promise<void> => {
    process_.kill('SIGKILL')
    await ended()
  }
  onTestFinished(kill)
  const printed = async (line: string): Promise<void> => {
    const stop = new AbortController()
    while (!lines.includes(line) && !silent) {
      const next = once(reader, 'line', { signal: stop.signal }).catch(() => {})
      await Promise.race([next, closed])
    }
    stop.abort()
  }
  return { pid: process_.pid ?? 0, lines, printed, ended, kill }
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
