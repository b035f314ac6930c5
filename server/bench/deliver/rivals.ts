/** Job queues that only POST: no delivery row, no signature, no history. Installed on demand, with a lock file of their own. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runScript } from '../support/processes.ts'
import type { PostTask } from './bare.ts'

/** A rival, ready to run tasks one after the other. */
export type Rival = { name: string; run(task: PostTask): Promise<{ perSecond: number }> }

const HOME = new URL('../rivals/', import.meta.url)

/** The rivals that this machine can run; BullMQ needs `redis-server` (Debian: redis-server). `freshUrl` empties a PostgreSQL database. */
export async function startRivals(
  freshUrl: () => Promise<string>,
): Promise<{ rivals: Rival[]; stop(): Promise<void> }> {
  if (!existsSync(new URL('node_modules', HOME)))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: fileURLToPath(HOME),
      stdio: 'inherit',
    })
  const onPostgres = (name: string, file: string): Rival => ({
    name,
    run: async (task) => runScript(new URL(file, HOME), { ...task, url: await freshUrl() }),
  })
  const rivals = [
    onPostgres('graphile-worker, batched', 'graphile-worker.js'),
    onPostgres('pg-boss, batches of 64', 'pg-boss.js'),
  ]
  const redis = await startRedis()
  if (redis === undefined) {
    console.error('redis-server is not installed: BullMQ is left out')
    return { rivals, stop: async () => {} }
  }
  rivals.push({
    name: 'BullMQ on Redis (appendfsync everysec)',
    run: (task) => runScript(new URL('bullmq.js', HOME), { ...task, redisPort: redis.port }),
  })
  return { rivals, stop: redis.stop }
}

async function startRedis(): Promise<{ port: number; stop(): Promise<void> } | undefined> {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-redis-'))
  const port = await freePort()
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--save', '']
  const server = spawn('redis-server', settings, { stdio: 'ignore' })
  const failed = new Promise<boolean>((resolve) => server.once('error', () => resolve(true)))
  if (await Promise.race([failed, sleep(1_000, false)])) return undefined
  return {
    port,
    async stop() {
      server.kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const address = listener.address()
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
