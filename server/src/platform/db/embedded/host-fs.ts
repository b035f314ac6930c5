/**
 * PGlite's Node file system, with what it lacks to make commits durable.
 *
 * As shipped, PostgreSQL runs with fsync off and a sync of a host file does nothing. Here the sync reaches the host:
 * `stream_ops.fsync` is filled in, the start parameters lose `-F`, and WAL is synced by fsync because the
 * WebAssembly build's fdatasync never leaves the sandbox. All three are needed.
 *
 * A failed sync or write of WAL makes PostgreSQL abort. PGlite's message loop swallows that and would then spin
 * forever, blocking its thread; `onAbort` is called and the loop is broken by making its own cleanup throw.
 */
import fs from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { messageOf } from '../../thrown.ts'

/** WASI's number for EIO, what PostgreSQL sees when the host's sync fails. */
const EIO = 29

type InitResult = Awaited<ReturnType<NodeFS['init']>>
type InitOptions = Parameters<NodeFS['init']>[1]

/** The parts of the Emscripten module used here; its own declarations leave them untyped. */
type HostModule = {
  NODEFS: { stream_ops: { fsync?: (stream: HostStream) => number } }
  FS: { ErrnoError: new (errno: number) => Error }
  stackRestore: () => void
  _PostgresSendReadyForQueryIfNecessary: () => void
  _pgl_pq_flush: () => void
}
type HostStream = { nfd: number; path?: string }

/** Removed from PGlite's own parameters: fsync off, and permission to change system catalogs. */
const UNWANTED = ['-F', '-O']

/** A quarter of the default: saves 110 MB of memory, and the host's page cache serves what no longer fits. */
const SHARED_BUFFERS = 'shared_buffers=32MB'

/** Start parameters: PGlite's own, safer, and with syncs that reach the host when `sync` is set. */
export function startParams(sync: boolean): string[] {
  const kept = PGlite.defaultStartParams.filter((parameter) => !UNWANTED.includes(parameter))
  return [...kept, '-c', SHARED_BUFFERS, '-c', sync ? 'wal_sync_method=fsync' : 'fsync=off']
}

/** A host directory as PGlite's file system. `onAbort` is called once when PostgreSQL aborts. */
export class HostFS extends NodeFS {
  readonly #onAbort: (reason: string) => void

  constructor(dir: string, onAbort: (reason: string) => void) {
    super(dir)
    this.#onAbort = onAbort
  }

  override async init(pg: PGlite, options: InitOptions): Promise<InitResult> {
    const result = await super.init(pg, options)
    const { emscriptenOpts } = result
    const prepare = (module: HostModule): void => {
      let syncFailure = ''
      module.NODEFS.stream_ops.fsync = (stream) => {
        const failure = syncHost(stream)
        if (failure === null) return 0
        syncFailure = failure
        throw new module.FS.ErrnoError(EIO)
      }
      Object.assign(module, { onAbort: (what: unknown) => this.#stop(module, syncFailure || String(what ?? '')) })
    }
    // The module given to preRun is PGlite's own; HostModule only names the fields its declarations leave out.
    const preRun = [...(emscriptenOpts.preRun ?? []), prepare as unknown as NonNullable<InitOptions['preRun']>[number]]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }

  #stop(module: HostModule, reason: string): void {
    const stopped = (): never => {
      throw new Error('PostgreSQL has aborted')
    }
    module.stackRestore = stopped
    module._PostgresSendReadyForQueryIfNecessary = stopped
    module._pgl_pq_flush = stopped
    this.#onAbort(reason)
  }
}

/** Syncs the host file behind a stream; the failure's text, or null. */
function syncHost(stream: HostStream): string | null {
  try {
    fs.fsyncSync(stream.nfd)
    return null
  } catch (error) {
    return `fsync of ${stream.path ?? 'a file'}: ${messageOf(error)}`
  }
}
