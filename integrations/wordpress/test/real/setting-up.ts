/** Installing, connecting and removing the plugin, through WordPress's forms. */
import assert from 'node:assert/strict'
import { connectionCode } from '@postrider/sdk'
import { ZIP_NAME } from '../../build.ts'
import { type Bench, shows } from './bench.ts'
import { formOf, linkOf } from './browser.ts'
import type { Site } from './site.ts'

export const SETTINGS = '/wp-admin/options-general.php?page=postrider'

export async function installs({ site: { owner }, service, seen }: Bench): Promise<void> {
  const zip = await (await fetch(`${service}/packages/${ZIP_NAME}`)).arrayBuffer()
  const file = new File([zip], ZIP_NAME, { type: 'application/zip' })
  const form = formOf(await owner.get('/wp-admin/plugin-install.php?tab=upload'), 'pluginzip')
  const page = await owner.post('/wp-admin/update.php?action=upload-plugin', { ...form, pluginzip: file })
  shows(page, 'Plugin installed successfully')
  shows(await owner.get(`/wp-admin/${linkOf(page, 'Activate Plugin')}`), 'Plugin activated')
  seen(
    'the zip that the service offers installs through the upload form, and is activated',
    `${(zip.byteLength / 1024).toFixed(0)} KiB`,
  )
}

export async function isNotConnected({ site: { owner }, client, connected, seen }: Bench): Promise<void> {
  shows(await owner.get('/wp-admin/index.php'), 'This site is not connected to Postrider')
  shows(await save(owner, 'prc_abc'), 'This is not a whole connection code')
  const test = await client.sites.testDelivery(connected.id)
  assert.deepEqual([test.success, test.response_code], [false, 503])
  assert.match(JSON.stringify(test), /not connected to Postrider/)
  seen('without a connection code the admin area and the test say so; one that is cut off is refused')
}

export async function connects({
  site: { owner, url },
  client,
  connected,
  connection,
  service,
  seen,
}: Bench): Promise<void> {
  const page = await save(owner, connection)
  shows(page, 'The connection code is saved')
  shows(page, `Connected to ${service}`)
  shows(page, `${url}/wp-json/postrider/v1/webhook`)
  assert.ok(!page.includes(connection), 'the page shows the secret')
  const test = await client.sites.testDelivery(connected.id)
  assert.deepEqual([test.success, test.response_code], [true, 200])
  shows(await owner.get(SETTINGS), ': A test.')
  assert.doesNotMatch(await owner.get('/wp-admin/index.php'), /is not connected to Postrider/)
  seen('the code is pasted, the site is connected, and the test arrives')
}

export async function refusesOldSecret(bench: Bench): Promise<void> {
  const { site, client, connected, service, seen } = bench
  const { new_api_key: key, new_webhook_secret: secret } = await client.sites.rotateKeys(connected.id)
  const test = await client.sites.testDelivery(connected.id)
  assert.deepEqual([test.success, test.response_code], [false, 401])
  const page = await site.owner.get(SETTINGS)
  shows(page, 'does not accept the key')
  shows(page, 'The signature does not match')
  shows(await save(site.owner, connectionCode({ url: service, site: connected.id, key, secret })), 'Connected to')
  assert.equal((await client.sites.testDelivery(connected.id)).success, true)
  seen('with the secret of before the webhook is refused and the settings page says why; the new code mends it')
}

export async function answersWithoutPermalinks({ site, client, connected, seen }: Bench): Promise<void> {
  const changePermalinks = async (structure: string) => {
    const page = '/wp-admin/options-permalink.php'
    const form = formOf(await site.owner.get(page), 'permalink_structure')
    await site.owner.post(page, { ...form, selection: structure, permalink_structure: structure })
  }
  await changePermalinks('')
  shows(await site.owner.get(SETTINGS), `${site.url}/index.php?rest_route=/postrider/v1/webhook`)
  await client.sites.update(connected.id, { webhook_url: `${site.url}/?rest_route=/postrider/v1/webhook` })
  assert.equal((await client.sites.testDelivery(connected.id)).success, true)
  await client.sites.update(connected.id, { webhook_url: connected.webhook_url })
  await changePermalinks('/%postname%/')
  assert.equal((await client.sites.testDelivery(connected.id)).success, true)
  seen('without pretty permalinks the webhook has another address, which the settings page shows')
}

export async function uninstalls({ site: { owner, query }, seen }: Bench): Promise<void> {
  const posts = async () => (await query("SELECT ID FROM wp_posts WHERE post_type IN ('post', 'attachment')")).length
  const before = await posts()
  const plugins = await owner.get('/wp-admin/plugins.php')
  await owner.get(`/wp-admin/${linkOf(plugins, 'Deactivate', 'postrider')}`)
  const form = {
    action: 'delete-selected',
    'checked[]': 'postrider/postrider.php',
    'verify-delete': '1',
    _wpnonce: formOf(plugins, 'bulk-action-form')._wpnonce ?? '',
  }
  await owner.post('/wp-admin/plugins.php', form)
  assert.deepEqual(await query("SELECT option_name FROM wp_options WHERE option_name LIKE 'postrider%'"), [])
  assert.equal(await posts(), before)
  seen('deleting the plugin removes its settings and leaves the posts', `${before} posts and pictures`)
}

/** Saves the settings page; resolves with what it shows then. */
async function save(owner: Site['owner'], code: string): Promise<string> {
  const form = formOf(await owner.get(SETTINGS), 'postrider_settings')
  return owner.post('/wp-admin/options.php', { ...form, 'postrider_settings[connection]': code })
}

/** Presses a button of the settings page. */
export async function press(owner: Site['owner'], label: string): Promise<string> {
  return owner.post('/wp-admin/admin-post.php', formOf(await owner.get(SETTINGS), label))
}
