/**
 * The plugin in a real WordPress (Debian's packages: wordpress, mariadb-server, php-fpm, nginx-light), before the real service: installed and set up
 * through WordPress's own forms, as its owner does it.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createClient, type PostriderClient, type SiteWithSecrets } from '@postrider/sdk'
import { connectionCode } from '../../../sdk/src/connection-code.ts'
import { type ServiceProcess, startProcess } from '../../../server/test/support/process.ts'
import { buildPlugin, ZIP_NAME } from '../build.ts'
import { formOf, linkOf } from './browser.ts'
import { type PictureServer, startPictures } from './pictures.ts'
import { type Site, startWordPress } from './site.ts'

/** What the checks work with. */
export type Bench = {
  site: Site
  service: ServiceProcess
  client: PostriderClient
  connected: SiteWithSecrets
  pictures: PictureServer
}

const SERVICE = {
  RATE_LIMIT_AUTH: 'off',
  RATE_LIMIT_STARTER: 'off',
  RATE_LIMIT_PULL: 'off',
  DELIVERY_RETRY_DELAYS: '1s,1s,1s',
}
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }

/** Checks everything; throws at the first thing that is wrong. */
export async function run(): Promise<void> {
  const startedAt = performance.now()
  const data = await mkdtemp(join(tmpdir(), 'postrider-wordpress-service-'))
  const closing: Array<() => Promise<unknown>> = [() => rm(data, { recursive: true, force: true })]
  try {
    const pictures = await startPictures()
    closing.push(pictures.close)
    const site = await startWordPress(pictures.host)
    closing.push(site.stop)
    const service = await startProcess({ ...SERVICE, DATA_DIR: join(data, 'data') })
    closing.push(() => service.kill())
    console.log(await site.versions())
    const client = createClient({ baseUrl: service.url })
    await client.auth.register(ADA)
    const bench = { site, service, client, pictures }
    for (const check of CHECKS) {
      const began = performance.now()
      await check.run(bench as Bench)
      console.log(`${seconds(began)}  ${check.what}`)
    }
    console.log(`${seconds(startedAt)}  in all`)
  } finally {
    for (const close of closing.toReversed()) await close().catch(console.error)
  }
}

const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1).padStart(6)} s`

/** In their order: each leaves the site as the next one expects it. */
const CHECKS: ReadonlyArray<{ what: string; run(bench: Bench): Promise<void> }> = [
  { what: 'the zip installs through the upload form, and is activated', run: installs },
  { what: 'the site says that it is not connected, and refuses a code that is cut off', run: isNotConnected },
  { what: 'the connection code is pasted, and the test delivery succeeds', run: connects },
]

async function installs({ site: { owner } }: Bench): Promise<void> {
  const zip = new File([new Uint8Array(await buildPlugin())], ZIP_NAME, { type: 'application/zip' })
  const form = formOf(await owner.get('/wp-admin/plugin-install.php?tab=upload'), 'pluginzip')
  const page = await owner.post('/wp-admin/update.php?action=upload-plugin', { ...form, pluginzip: zip })
  assert.match(page, /Plugin installed successfully/)
  assert.match(
    await owner.get(
      new URL(linkOf(page, 'Activate Plugin'), 'http://x/wp-admin/').pathname +
        new URL(linkOf(page, 'Activate Plugin'), 'http://x/wp-admin/').search,
    ),
    /Plugin activated/,
  )
}

async function isNotConnected({ site: { owner } }: Bench): Promise<void> {
  assert.match(await owner.get('/wp-admin/index.php'), /This site is not connected to Postrider/)
  assert.match(await saved(owner, 'prc_abc'), /This is not a whole connection code/)
}

async function connects(bench: Bench): Promise<void> {
  const { site, service, client } = bench
  const webhook_url = `${site.url}/wp-json/postrider/v1/webhook`
  bench.connected = await client.sites.create({
    name: 'Kitchen notes',
    url: site.url,
    webhook_url,
    platform: 'wordpress',
  })
  assert.equal((await client.sites.testDelivery(bench.connected.id)).response_code, 503)
  const { id, api_key: key, webhook_secret: secret } = bench.connected
  const page = await saved(site.owner, connectionCode({ url: service.url, site: id, key, secret }))
  assert.match(page, /The connection code is saved/)
  assert.match(page, /Connected to http/)
  const test = await client.sites.testDelivery(id)
  assert.deepEqual([test.success, test.response_code], [true, 200])
}

/** Saves the settings page; resolves with what it shows then. */
async function saved(owner: Site['owner'], code: string): Promise<string> {
  const form = formOf(await owner.get('/wp-admin/options-general.php?page=postrider'), 'postrider_settings')
  return owner.post('/wp-admin/options.php', { ...form, 'postrider_settings[connection]': code })
}
