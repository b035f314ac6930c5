import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../directory-sync.ts'
import type { Blobs } from './blobs.ts'

/** Files in a directory. All processes of a service must see the same one. */
export function diskBlobs(directory: string): Blobs {
  const pathOf = (key: string) => join(directory, 'files', ...key.split('/'))
  const scratch = join(directory, 'tmp')
  return {
    place: directory,
    scratch,
    makeScratch: async () => void (await mkdir(scratch, { recursive: true })),
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
      const file = await open(pathOf(key)).catch(unlessMissing)
      if (file === undefined) return undefined
      const { size } = await file.stat()
      return { bytes: size, pieces: file.createReadStream() }
    },
    has: async (key) => (await access(pathOf(key)).then(() => true, unlessMissing)) ?? false,
    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
