/**
 * A manual clock that processes share: its time is eight bytes in a file. Reading is synchronous, so a process that gets a
 * request after the clock was moved sees the new time, whichever way the request came.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { sql } from 'kysely'
import type { Clock } from '../../../src/platform/clock.ts'
import { type ManualClock, manualClock } from '../clock.ts'

/** How often a sleeper checks whether its time has come (real milliseconds). */
const NOTICE_MS = 5

/** A manual clock that writes its time to a new file. `close` closes the file. */
export function createSharedClock(path: string, start: Date): ManualClock & { close(): void } {
  const clock = manualClock(start)
  const file = openSync(path, 'wx')
  const bytes = Buffer.alloc(8)
  const write = () => {
    bytes.writeDoubleLE(clock.now().getTime())
    writeSync(file, bytes, 0, 8, 0)
  }
  write()
  return {
    ...clock,
    advance(ms) {
      clock.advance(ms)
      write()
    },
    suspend(ms) {
      clock.suspend(ms)
      write()
    },
    close: () => closeSync(file),
  }
}

/** The clock of another process. */
export function followSharedClock(path: string): Clock {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(8)
  const read = () => {
    readSync(file, bytes, 0, 8, 0)
    return bytes.readDoubleLE()
  }
  return {
    now: () => new Date(read()),
    monotonicMs: read,
    inDatabase: () => sql<Date>`${new Date(read())}::timestamptz`,
    sleep(ms, signal) {
      const until = read() + ms
      if (signal?.aborted || ms <= 0) return Promise.resolve()
      return new Promise((resolve) => {
        const finish = () => {
          clearInterval(timer)
          signal?.removeEventListener('abort', finish)
          resolve()
        }
        const timer = setInterval(() => read() >= until && finish(), NOTICE_MS)
        signal?.addEventListener('abort', finish, { once: true })
      })
    },
  }
}
