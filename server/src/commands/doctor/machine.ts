import { access, constants, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../platform/config.ts'
import { lookUpNames } from '../../platform/egress/names.ts'
import { portState } from '../../platform/http/port-state.ts'
import { isKeyFileOpen } from '../../platform/secret-key.ts'
import { about, type Finding } from './finding.ts'

/** Below this a busy hour of deliveries may fill the disk before anybody looks. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024

/** Checks that the data directory is writable, has room, and hides its key from other users. */
export async function checkDataDir(config: Config): Promise<Finding> {
  const what = about('data directory')
  if (config.databaseUrl !== undefined) return what.unknown('not used with DATABASE_URL')
  const dir = await nearestExisting(resolve(config.dataDir))
  try {
    await access(dir, constants.W_OK | constants.X_OK)
  } catch {
    return what.bad(`${dir} is not writable; give this user write access, or set DATA_DIR to another directory`)
  }
  const { bavail, bsize } = await statfs(dir)
  const free = `${Math.floor((bavail * bsize) / 1024 / 1024).toLocaleString('en')} MB free`
  if (bavail * bsize < LEAST_FREE_BYTES)
    return what.bad(`${config.dataDir} has only ${free}; free some space, or move it to a larger disk`)
  if (config.secretKey === undefined && (await isKeyFileOpen(config.dataDir)))
    return what.bad(`every user of this machine can read the secret key; run: chmod 600 ${config.dataDir}/secret.key`)
  return what.good(`${config.dataDir} is writable, ${free}`)
}

async function nearestExisting(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

/** Checks name resolution with hosts that webhooks go to. One dead name is its site's problem; if all are dead, it is ours. */
export async function checkNames(hosts: readonly string[]): Promise<Finding> {
  const what = about('name resolution')
  const { names, dead } = await lookUpNames(hosts)
  if (names.length === 0) return what.unknown('no site has a host name to resolve')
  if (dead.length === 0) return what.good(`works; tried with ${names.length} host names of sites`)
  const list = dead.join(', ')
  if (dead.length < names.length)
    return what.good(`works, but not for ${list}: the owners of these sites should check their DNS`)
  return what.bad(`none of these names could be resolved: ${list}; check this machine's resolver and network`)
}

/** Checks that the service can listen, or already does. */
export async function checkPort({ host, port }: Config): Promise<Finding> {
  const what = about(`port ${port}`)
  const state = await portState(host, port)
  switch (state.kind) {
    case 'free':
      return what.good(`free on ${host}`)
    case 'service':
      return state.ready
        ? what.good('in use by a running Postrider, which is ready')
        : what.bad(`in use by a running Postrider, which is not ready: ${state.problems.join('; ')}`)
    case 'used':
      return what.bad('used by another program; stop that program, or set PORT to a free port')
    case 'refused':
      return what.bad(`the service cannot listen on it (${state.reason}); change PORT or HOST`)
  }
}
