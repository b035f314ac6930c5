import { open } from 'node:fs/promises'

/**
 * Syncs a directory, so that files made or renamed in it survive a crash of the machine. A directory that this user may not read cannot
 * be synced, though files can be made in it; the system writes them to disk within seconds.
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
