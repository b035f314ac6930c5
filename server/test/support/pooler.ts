/** PgBouncer between the service and a PostgreSQL server. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { giveTo, openTmpdir, unprivilegedUser } from './postgres/unprivileged.ts'

/** Whether this machine has PgBouncer (Debian: pgbouncer). */
export const hasPooler = spawnSync('pgbouncer', ['--version']).status === 0

/** A running pooler: `url` leads through it to the same database. */
export type Pooler = { url: string; stop(): Promise<void> }

/** Starts a pooler before the database of `databaseUrl`, with these settings besides what it needs. */
export async function startPooler(databaseUrl: string, settings: Record<string, string>): Promise<Pooler> {
  const target = new URL(databaseUrl)
  const runAs = await unprivilegedUser() // it refuses to run as root
  const dir = await mkdtemp(join(await openTmpdir(), 'postrider-pooler-'))
  const port = await freePort()
  const { hostname: host, username: user, password } = target
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout',
    ...settings,
  }
  const file = join(dir, 'pgbouncer.ini')
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`)
  await writeFile(
    file,
    `[databases]\n* = host=${host} port=${target.port} user=${user} password=${decodeURIComponent(password)}\n[pgbouncer]\n${lines.join('')}`,
  )
  await chmod(file, 0o600)
  await giveTo(runAs, [dir, file])
  const child = spawn('pgbouncer', [file], { ...runAs, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.includes('process up')) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}:\n${output}`)))
  })
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true })
    },
  }
}
