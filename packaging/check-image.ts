/**
 * `npm run image:check` builds the image where no registry can be reached: Debian's buildah, on a base made by debootstrap with this
 * repository's Node, tagged like the default. Then it runs the image's process and shows that a stop loses nothing. `IMAGE_BASE` names
 * a directory where debootstrap's result is kept for the next time.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startSampleSite } from '@postrider/sample-site'
import { assertTakesPictures, connectSite, freePort, publish, until, untilDelivered } from './story.ts'

const ROOT = join(import.meta.dirname, '..')
const BASE = 'docker.io/library/node:26-bookworm-slim'
const USER = 10001
/** What compose.yaml gives a stop. */
const GRACE_MS = 30_000
/** The bundle of certificates that this machine trusts, which may know a proxy of its own. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

const run = promisify(execFile)
const startedAt = performance.now()
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${what}`)

if (process.getuid?.() !== 0 || !(await has('buildah')) || !(await has('debootstrap'))) {
  console.error('This needs root and two Debian packages: apt-get install --no-install-recommends buildah debootstrap')
  process.exit(69)
}

const place = await mkdtemp('/var/tmp/postrider-image-')
/** What is mounted on /data, for both containers. */
const data = join(place, 'data')
const store = ['--root', join(place, 'store'), '--runroot', join(place, 'run'), '--storage-driver', 'vfs']
const buildah = async (...args: string[]) =>
  (await run('buildah', [...store, ...args], { maxBuffer: 1e8 })).stdout.trim()

try {
  say('making the base')
  await makeBase()
  say('building the image')
  await buildah('build', '--isolation', 'chroot', '--format', 'docker', '--pull-never', '--tag', 'postrider', ROOT)
  await checkProcess()
} finally {
  await rm(place, { recursive: true, force: true })
}

async function has(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  )
}

/** Debian with Node and npm, as the official image has them. */
async function makeBase(): Promise<void> {
  const root = resolve(process.env.IMAGE_BASE ?? join(place, 'base'))
  if (!existsSync(join(root, 'etc/debian_version'))) {
    const options = ['--variant=minbase', '--include=libatomic1,ca-certificates']
    await run('debootstrap', [...options, 'bookworm', root], { maxBuffer: 1e8 })
  }
  await cp(process.execPath, join(root, 'usr/local/bin/node'))
  await chmod(join(root, 'usr/local/bin/node'), 0o755)
  const npm = dirname(dirname(process.env.npm_execpath ?? ''))
  await cp(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  await rm(join(root, 'usr/local/bin/npm'), { force: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  await cp(CERTIFICATES, join(root, CERTIFICATES))
  const container = await buildah('from', 'scratch')
  await buildah('add', '--quiet', container, root, '/')
  const environment = [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
  ]
  await buildah('config', ...environment.flatMap((one) => ['--env', one]), container)
  await buildah('commit', '--quiet', '--rm', container, BASE)
}

/** Delivers a post, stops the container while another waits, and starts a new one on the same /data: both are there. */
async function checkProcess(): Promise<void> {
  await mkdir(data)
  await chown(data, USER, USER)
  const site = await startSampleSite()
  const sitePort = Number(new URL(site.url).port)
  let service = await start(await freePort())
  try {
    say(`ready, as user ${service.uid}`)
    if (service.uid !== USER) throw new Error(`It runs as user ${service.uid}.`)
    const { client, secret } = await connectSite(service.url, sitePort)
    site.setSecret(secret)
    const before = await publish(client, 'Before the stop')
    await untilDelivered(client, sitePort, before, 'Before the stop')
    await assertTakesPictures(service.url, client)
    say('a post was published and the sample site shows it; a picture was uploaded')
    site.failNext(1)
    const across = await publish(client, 'Across the stop')
    await until('an attempt has failed', async () => {
      const { data } = await client.deliveries.list()
      return data.some(({ post_id, status, attempts }) => post_id === across && status === 'pending' && attempts > 0)
    })
    const tookMs = await service.stop()
    say(`stopped ${(tookMs / 1_000).toFixed(1)} s after SIGTERM, a delivery waiting for its next attempt`)
    if (tookMs > GRACE_MS)
      throw new Error(`The stop took longer than the ${GRACE_MS / 1_000} s that compose.yaml gives.`)
    service = await start(service.port)
    await untilDelivered(client, sitePort, before, 'Before the stop')
    await untilDelivered(client, sitePort, across, 'Across the stop')
    say('a new container on the same /data has the first post and delivered the second')
  } finally {
    await service.stop()
    await site.close()
  }
}

/** Starts the image's process in a new container. Beside the image's own settings, a site on this machine is allowed. */
async function start(port: number) {
  const container = await buildah('from', '--pull-never', 'localhost/postrider')
  const { entrypoint, cmd } = await imageCommand()
  // buildah would mount a directory of the container's own over what is mounted on a volume of the image.
  await buildah('config', '--volume', '/data-', container)
  const environment = [`PORT=${port}`, 'WEBHOOK_ALLOW=loopback', 'DELIVERY_RETRY_DELAYS=10s,10s,10s']
  const options = ['--isolation', 'chroot', '--volume', `${data}:/data`]
  for (const one of environment) options.push('--env', one)
  const child = spawn('buildah', [...store, 'run', ...options, container, '--', ...entrypoint, ...cmd], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit')
  /** SIGTERM to the process that would be number 1 in a container. Resolves with the milliseconds that it took to end. */
  const stop = async (): Promise<number> => {
    if (child.exitCode !== null) return 0
    const at = performance.now()
    process.kill((await serviceBelow(child.pid ?? 0)).pid, 'SIGTERM')
    const [code] = await ended
    if (code !== 0) throw new Error(`After SIGTERM it ended with ${code}:\n${output}`)
    return performance.now() - at
  }
  const url = `http://localhost:${port}`
  try {
    await until('the image serves', async () => {
      if (child.exitCode !== null) throw new Error(`The container ended with ${child.exitCode}:\n${output}`)
      return fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    })
  } catch (error) {
    await stop()
    throw error
  }
  const { uid } = await serviceBelow(child.pid ?? 0)
  return { url, port, uid, stop }
}

async function imageCommand(): Promise<{ entrypoint: string[]; cmd: string[] }> {
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/postrider'))
  const { Entrypoint, Cmd, Healthcheck } = Docker.config
  if (!Healthcheck.Test.join(' ').includes('/readyz')) throw new Error('The image has no health check.')
  return { entrypoint: Entrypoint, cmd: Cmd }
}

/** The first process of Node under buildah's: the one that the image starts. It may have one below it, for pictures. */
async function serviceBelow(ancestor: number): Promise<{ pid: number; uid: number }> {
  const all = await readdir('/proc')
  const processes = await Promise.all(all.filter((name) => /^\d+$/.test(name)).map(readProcess))
  let found = processes.find((one) => one?.pid === ancestor)
  while (found?.isNode !== true) {
    const child = processes.find((one) => one !== undefined && one.parent === found?.pid)
    if (child === undefined) break
    found = child
  }
  if (found === undefined) throw new Error('The process of the container is gone.')
  return found
}

type Process = { pid: number; parent: number; uid: number; isNode: boolean }

async function readProcess(pid: string): Promise<Process | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, parent] = /^PPid:\s+(\d+)/m.exec(status) ?? []
  const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  if (parent === undefined) return undefined
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
  return { pid: Number(pid), parent: Number(parent), uid: Number(uid), isNode: program.endsWith('/node') }
}
