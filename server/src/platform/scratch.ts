/**
 * The directory for files that are needed while a request or a piece of work lasts. Whoever makes one removes it; what a process that was
 * killed has left is removed after an hour.
 */
import { lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import type { MediaPlace } from './media-config.ts'

/** Longer than anything takes that has a file there. */
const LEFT_MS = 3_600_000

/** Where it is: on the disk of the files that are kept, if they are kept on one. */
export function scratchDirectory(place: MediaPlace): string {
  if (place.kind === 'disk') return join(place.directory, 'tmp')
  return join(tmpdir(), `postrider-${process.getuid?.() ?? 0}`)
}

/** Makes the directory, unless it is there. Throws if it is another user's: they would have our files. */
export async function makeScratch({ scratch }: { scratch: string }): Promise<void> {
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  if (!(await isOurs(scratch))) throw new Error(`${scratch} belongs to another user`)
}

async function isOurs(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
}

/** Removes what was left an hour ago. Nothing of another kind is in the directory. */
export async function removeLeftovers({ scratch, clock }: { scratch: string; clock: Clock }): Promise<void> {
  if (!(await isOurs(scratch))) return
  for (const name of await readdir(scratch)) {
    const path = join(scratch, name)
    const { mtime } = await stat(path).catch(() => ({ mtime: undefined }))
    if (mtime !== undefined && clock.now().getTime() - mtime.getTime() > LEFT_MS) await rm(path, { force: true })
  }
}
