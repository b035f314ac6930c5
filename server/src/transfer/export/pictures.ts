/** The account's own pictures in an export: under `media/`, by the last two parts of their addresses. */
import { keyOf } from '../../media/index.ts'
import type { Context } from '../../platform/context.ts'
import type { WholePost } from '../../posts/index.ts'
import type { ZipEntry } from './zip.ts'

/** Which pictures the posts have that pass through it. */
export type Album = {
  posts: AsyncIterable<WholePost>
  /** The pictures of the posts that have passed, once each; those whose files are missing are left out. */
  files(): AsyncIterable<ZipEntry>
}

/** Where the archive has a picture, by its address in texts; undefined if it is not such an address. */
function placeOf(address: string): string | undefined {
  const [, hash, name] = /\/(media\/[0-9a-f]{32})\/([\w-]+\.\w+)$/.exec(address) ?? []
  return hash === undefined ? undefined : `${hash}/${name}`
}

/** Takes the pictures of posts out with them. */
export function albumOf({ blobs, log }: Pick<Context, 'blobs' | 'log'>, posts: AsyncIterable<WholePost>): Album {
  const keys = new Map<string, string>()
  return {
    posts: (async function* () {
      for await (const post of posts) {
        for (const { id, url } of post.media ?? []) {
          const place = placeOf(url)
          if (place !== undefined) keys.set(place, keyOf({ account_id: post.account_id, id }))
        }
        yield post
      }
    })(),
    async *files() {
      for (const [name, key] of keys) {
        const file = await blobs?.open(key)
        if (file === undefined) log.warn('export.file_missing', { key })
        else yield { name, changedAt: new Date(0), content: file.pieces, isPacked: true }
      }
    },
  }
}

/** A text in a folder of the archive with the addresses of the post's pictures as they are from there. */
export function withinArchive(text: string, { media }: Pick<WholePost, 'media'>, publicUrl: string): string {
  return (media ?? []).reduce((all, { url }) => {
    const place = placeOf(url)
    return place === undefined || !url.startsWith(`${publicUrl}/media/`) ? all : all.replaceAll(url, `../${place}`)
  }, text)
}
