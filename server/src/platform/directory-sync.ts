import { open } from 'node:fs/promises'

/**
 * Brings to disk which files a directory has, so that a file that was made or renamed in it outlives the machine. A directory that this
 * user may not read cannot be synced, though files can be made in it; those reach the disk when the system gets to it, within seconds.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
      return undefined
    throw error
  })
  try {
    await directory?.sync()
  } finally {
    await directory?.close()
  }
}
