/**
 * Brings a collection of Astro up to what the service has. The collection is kept between builds where the host keeps Astro's cache, and then a build
 * reads only what has changed; with an empty disk it reads everything, a hundred posts per request.
 */
import { connectionOf } from '@postrider/sdk'
import { followChanges } from '@postrider/sdk/receiver'
import type { WebhookPost } from '@postrider/sdk/webhooks'

/** The data of an entry; its `id` is that of the post, the entry's own is the slug. */
export type PostData = Omit<WebhookPost, 'body'>

/** An entry as it is stored: `body` is Markdown, `rendered` what `render()` of Astro shows. */
type Entry = { id: string; data: PostData; body: string; rendered: { html: string }; digest: string | number }

type KeptEntry = { data: Record<string, unknown> }

/** What is used of what Astro gives a loader. */
export type LoaderContext = {
  store: {
    get(id: string): KeptEntry | undefined
    set(entry: Entry): boolean
    delete(id: string): void
    clear(): void
    entries(): Array<[id: string, entry: KeptEntry]>
  }
  meta: { get(key: string): string | undefined; set(key: string, value: string): void; delete(key: string): void }
  logger: { info(message: string): void; warn(message: string): void }
  generateDigest(data: Record<string, unknown> | string): string
}

/** Loads the posts of the site whose connection code it is. Rejects with a sentence if the service cannot be read. */
export async function loadPosts(context: LoaderContext, connection: string | undefined): Promise<void> {
  const { store, meta, logger, generateDigest } = context
  const { url, site } = connectionOf(connection)
  const startAgain = () => {
    store.clear()
    meta.delete('cursor')
  }
  // Kept of another site: its posts are not this one's.
  if (meta.get('site') !== `${url} ${site}`) startAgain()
  meta.set('site', `${url} ${site}`)
  const slugs = new Map(store.entries().map(([slug, { data }]) => [data.id, slug]))
  const cursor = meta.get('cursor')
  let changes = 0
  await followChanges(
    { connection, log: (message) => logger.warn(message) },
    {
      ...(cursor === undefined ? {} : { cursor }),
      onStartAgain() {
        startAgain()
        slugs.clear()
      },
      onChange({ post_id: id, post }) {
        changes += 1
        const before = slugs.get(id)
        // Another post may have its former slug by now.
        if (before !== undefined && store.get(before)?.data.id === id) store.delete(before)
        slugs.delete(id)
        if (post === undefined) return
        const { body, ...data } = post
        slugs.set(id, post.slug)
        const digest = generateDigest(post)
        store.set({ id: post.slug, data, body: body.markdown, rendered: { html: body.html }, digest })
      },
      onCursor: (next) => meta.set('cursor', next),
    },
  )
  logger.info(`Posts: ${slugs.size}; new or changed: ${changes}`)
}
