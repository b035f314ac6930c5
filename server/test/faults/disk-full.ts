/** The disk runs full under the embedded database, and has room again before a restart. Needs root, to mount a small file system. */
import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Load, type Outcome } from './load.ts'

const SIZE_MB = 160

/** `dir` becomes the mount point. Publishes until the disk is full and for a while longer; then makes room. */
export async function diskFull(dir: string): Promise<Outcome & { refused: number; ended: string }> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', dir])
  try {
    return await fillUp(dir)
  } finally {
    execFileSync('umount', ['-l', dir])
  }
}

async function fillUp(dir: string): Promise<Outcome & { refused: number; ended: string }> {
  const ballast = join(dir, 'ballast')
  const { load, service } = await Load.start({
    DATA_DIR: join(dir, 'data'),
    DELIVERY_TIMEOUT: '2s',
    DELIVERY_RETRY_DELAYS: '1s,1s,1s',
    LOG_LEVEL: 'silent',
  })
  await load.publishing(service, () => sleep(2_000))
  const client = load.client(service)
  let refused = 0
  await load.fault(async () => {
    await writeFile(ballast, Buffer.alloc(SIZE_MB * 2 ** 20)).catch(() => {}) // as much as there is room for
    for (let count = 0; count < 20 && service.child.exitCode === null; count += 1)
      await load.publish(client).catch(() => {
        refused += 1
      })
    await sleep(2_000)
    if (service.child.exitCode === null) await service.kill()
    await rm(ballast)
  })
  const ended = service.child.signalCode ?? `exit ${service.child.exitCode}`
  const again = await load.startService()
  await load.publishing(again, () => sleep(2_000))
  const outcome = await load.outcome()
  await again.end('SIGTERM')
  await load.receiver.close()
  return { ...outcome, refused, ended }
}
