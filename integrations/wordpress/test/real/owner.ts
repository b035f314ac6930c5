/** What the site's owner changes in WordPress, as the editor does it, stays. */
import assert from 'node:assert/strict'
import { until } from '../../../real/stage.ts'
import { type Bench, publish, update, visit, type WordPressPost, wordPressPost } from './bench.ts'
import { linkOf } from './browser.ts'
import { SETTINGS } from './setting-up.ts'

export async function keepsDecisions(bench: Bench): Promise<void> {
  const { site, client, pictures, seen } = bench
  const edit = (there: WordPressPost, change: object) => site.api('POST', `/posts/${there.id}`, change)

  const draft = await publish(bench, { title: 'Owner drafts', html: '<p>One</p>' })
  await edit(draft.there, { status: 'draft' })
  await update(bench, draft.post.id, { title: 'Still a draft' })
  assert.deepEqual(pick(await wordPressPost(bench, draft.post.id)), { status: 'draft', title: 'Still a draft' })
  await client.posts.delete(draft.post.id)
  await until('the draft is in the trash', async () => (await wordPressPost(bench, draft.post.id)).status === 'trash')
  seen('a draft of the owner stays a draft, with the new text; a removal still moves it to the trash')

  const hidden = await publish(bench, { title: 'Owner hides', html: '<p>One</p>' })
  await edit(hidden.there, { status: 'private' })
  await client.posts.update(hidden.post.id, { status: 'draft' })
  await until('it is in the trash', async () => (await wordPressPost(bench, hidden.post.id)).status === 'trash')
  await client.posts.update(hidden.post.id, { status: 'published' })
  await until('it is back', async () => (await wordPressPost(bench, hidden.post.id)).status === 'private')
  seen('a private post comes back private')

  const trashed = await publish(bench, { title: 'Owner trashes', html: '<p>One</p>' })
  await site.api('DELETE', `/posts/${trashed.there.id}`)
  await update(bench, trashed.post.id, { title: 'Still in the trash' })
  assert.equal((await wordPressPost(bench, trashed.post.id)).status, 'trash')
  await site.api('DELETE', `/posts/${trashed.there.id}?force=true`)
  const version = (await client.posts.update(trashed.post.id, { title: 'Gone for good' })).version
  await until('the update is accepted', async () => {
    const { deliveries } = await client.posts.get(trashed.post.id)
    return deliveries.every(({ status }) => status.startsWith('delivered'))
  })
  assert.ok(version > 1)
  assert.equal(
    (
      await site.query(
        `SELECT 1 FROM wp_postmeta WHERE meta_key = '_postrider_id' AND meta_value = '${trashed.post.id}'`,
      )
    ).length,
    0,
  )
  assert.match(await site.owner.get(SETTINGS), /One post that you deleted here stays deleted/)
  seen('what the owner moved to the trash stays there, and what they deleted for good does not come back')

  const category = await site.api<{ id: number }>('POST', '/categories', { name: 'Kitchen' })
  const tag = await site.api<{ id: number }>('POST', '/tags', { name: 'Mine' })
  const arranged = await publish(bench, {
    title: 'Owner arranges',
    html: '<p>One</p>',
    tags: ['Theirs'],
    og_image: `${pictures.url}/20.png`,
  })
  const other = await publish(bench, {
    title: 'Another picture',
    html: '<p>One</p>',
    og_image: `${pictures.url}/21.png`,
  })
  const mine = {
    categories: [category.id],
    tags: [tag.id],
    featured_media: other.there.featured_media,
    slug: 'my-own-slug',
  }
  await edit(arranged.there, mine)
  await update(bench, arranged.post.id, {
    title: 'Arranged',
    slug: 'their-slug',
    tags: ['New'],
    meta: { og_image: `${pictures.url}/22.png` },
  })
  const { categories, tags, featured_media, slug, title } = await wordPressPost(bench, arranged.post.id)
  assert.deepEqual({ categories, tags, featured_media, slug }, mine)
  assert.equal(title.raw, 'Arranged')
  seen('category, tags, featured image and slug of the owner stay, and the new text comes')
}

export async function offersNewerTexts(bench: Bench): Promise<void> {
  const { site, seen } = bench
  const { post, there } = await publish(bench, { title: 'Owner writes', html: '<p>One</p>' })
  await site.api('POST', `/posts/${there.id}`, { content: '<p>My own words</p>' })
  await update(bench, post.id, { body: { html: '<p>Two</p>' } })
  assert.match((await visit(there.link)).body, /My own words/)
  assert.match((await visit(there.link)).body, /name="postrider-version" content="1"/)
  const settings = await site.owner.get(SETTINGS)
  assert.match(settings, /Postrider has a newer version of “Owner writes”/)
  assert.match(
    await site.owner.get(`/wp-admin/post.php?post=${there.id}&action=edit`),
    // Another script follows on the line.
    /createWarningNotice\("Postrider has a newer version.*\)\);/,
  )

  await site.owner.get(linkOf(settings, 'Keep mine'))
  assert.match((await visit(there.link)).body, /My own words/)
  assert.match((await visit(there.link)).body, /name="postrider-version" content="2"/)
  assert.doesNotMatch(await site.owner.get(SETTINGS), /has a newer version/)
  await update(bench, post.id, { body: { html: '<p>Three</p>' } })
  await site.owner.get(linkOf(await site.owner.get(SETTINGS), 'Use Postrider’s'))
  assert.match((await visit(there.link)).body, /<p>Three<\/p>/)
  await update(bench, post.id, { body: { html: '<p>Four</p>' } })
  assert.match((await visit(there.link)).body, /<p>Four<\/p>/)
  seen(
    'an edited text stays; the editor and the settings page offer the newer one; “Keep mine” and “Use Postrider’s” do what they say',
  )
}

function pick({ status, title }: WordPressPost): { status: string; title: string } {
  return { status, title: title.raw }
}
