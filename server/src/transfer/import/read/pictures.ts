/** Pictures in archives: which of its files a post names. */
import { posix } from 'node:path'
import { decodedPart } from '../../../platform/http/url.ts'
import { ownParts, pictureAddressesIn } from '../addresses.ts'
import { type ImportLoss, oneLoss, type SourcePost } from '../source-post.ts'
import type { ArchiveFile } from './archive.ts'

/** Keeps a picture until the import is run, and tells the SHA-256 of its bytes, or why it is not kept. */
export type KeepPicture = (file: ArchiveFile) => Promise<string | ImportLoss>

/** The folders that generators publish as the root of a site. */
const ROOTS = ['', 'static', 'public', 'assets', 'src', 'source']

/** Finds the picture that an address in the file at `from` means. */
export type Shelf = (address: string, from: string) => ArchiveFile | undefined

/** The pictures of an archive, to be found. */
export function shelfOf(files: readonly ArchiveFile[]): Shelf {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const byHash = new Map(files.map((file) => [ownParts(file.path)?.hash, file]))
  return (address, from) => {
    const own = ownParts(address)
    if (own !== undefined) return byHash.get(own.hash)
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address)) return undefined
    const path = decodedPart(address)
    const folder = posix.dirname(from)
    return byPath.get(posix.join(folder, path)) ?? fromRoot(byPath, folder, path)
  }
}

/** An address that begins with a slash may mean a file below any folder that the post is in. */
function fromRoot(byPath: ReadonlyMap<string, ArchiveFile>, folder: string, path: string): ArchiveFile | undefined {
  for (let at = folder; ; at = posix.dirname(at)) {
    const found = ROOTS.map((root) => byPath.get(posix.join(at, root, path))).find((file) => file !== undefined)
    if (found !== undefined || at === '.' || at === '/') return found
  }
}

/** The most pictures of one post. */
const MOST_PICTURES = 1_000

/** A post with the pictures of the archive that it names; `from`: its file. */
export async function withPictures(
  post: SourcePost,
  from: string,
  shelf: Shelf,
  keep: KeepPicture,
): Promise<SourcePost> {
  const pictures: Record<string, string> = {}
  const losses: ImportLoss[] = []
  for (const address of pictureAddressesIn(post)) {
    if (Object.keys(pictures).length === MOST_PICTURES) {
      losses.push(oneLoss('picture', `It has more than ${MOST_PICTURES} pictures: the others are not taken.`))
      break
    }
    const file = shelf(address, from)
    const kept = file && (await keep(file))
    if (typeof kept === 'string') pictures[address] = kept
    else if (kept !== undefined) losses.push(kept)
  }
  if (Object.keys(pictures).length === 0 && losses.length === 0) return post
  return { ...post, pictures, losses: [...post.losses, ...losses] }
}
