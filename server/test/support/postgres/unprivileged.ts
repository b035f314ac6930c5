import { constants } from 'node:fs'
import { chown, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

/** A user to run as, in the form of `child_process` options; empty for the present one. */
export type RunAs = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root: `nobody` then, otherwise the present user. */
export async function unprivilegedUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {}
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const [, uid = '65534', gid = '65534'] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** Gives these files to the user that `runAs` names, if it names one. */
export async function giveTo({ uid, gid }: RunAs, paths: readonly string[]): Promise<void> {
  if (uid !== undefined && gid !== undefined) for (const path of paths) await chown(path, uid, gid)
}

/** A directory for temporary files that every user may enter. */
export async function openTmpdir(): Promise<string> {
  for (const dir of [tmpdir(), '/tmp', '/var/tmp']) if (await isOpenToAll(dir)) return dir
  throw new Error('No directory for temporary files that an unprivileged user can enter; set TMPDIR to one.')
}

async function isOpenToAll(dir: string): Promise<boolean> {
  const entry = await stat(dir).catch(() => null)
  if (!entry?.isDirectory() || (entry.mode & constants.S_IXOTH) === 0) return false
  return dirname(dir) === dir || isOpenToAll(dirname(dir))
}
