import { createReadStream } from 'node:fs'
import { access, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../directory-sync.ts'
import type { Blobs } from './blobs.ts'

/** Files in a directory. All processes of a service must see the same one. */
export function diskBlobs(directory: string): Blobs {
  const pathOf = (key: string) => join(directory, 'files', ...key.split('/'))
  return {
    place: directory,
    async put(key, path) {
      const target = pathOf(key)
      const file = await open(path, 'r+')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
      const made = await mkdir(dirname(target), { recursive: true })
      await rename(path, target)
      const top = made === undefined ? dirname(target) : dirname(made)
      for (let at = dirname(target); at.length >= top.length; at = dirname(at)) await syncDirectory(at)
    },
    async open(key) {
      const found = await stat(pathOf(key)).catch(unlessMissing)
      return found && { bytes: found.size, pieces: piecesOf(pathOf(key)) }
    },
    has: async (key) => (await access(pathOf(key)).then(() => true, unlessMissing)) ?? false,
    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
  }
}

/** Opens the file when the first piece is asked for: nobody has to close what is never read. */
async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
