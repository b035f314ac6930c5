/** The files of pictures, which commands reach beside the database. */
import { allMedia, keyOf } from '../media/index.ts'
import type { BackupHeader } from '../platform/backup/format.ts'
import type { Blobs } from '../platform/blobs/blobs.ts'
import { createBlobs } from '../platform/blobs/create.ts'
import type { Config } from '../platform/config.ts'
import type { Db } from '../platform/db/database.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { VERSION } from '../version.ts'

/** Runs `work` with the configured place of files; undefined if there is none. */
export async function withBlobs<T>(
  { media }: Pick<Config, 'media'>,
  work: (blobs: Blobs | undefined) => Promise<T>,
): Promise<T> {
  const egress = createEgress({ allow: 'none', userAgent: `Postrider/${VERSION}` })
  try {
    return await work(createBlobs(media.place, egress))
  } finally {
    await egress.close()
  }
}

const picturesOf = ({ tables }: Pick<BackupHeader, 'tables'>) => tables.find(({ name }) => name === 'media')?.rows ?? 0

/** What to keep beside a backup that names pictures: their files are not in it. None if it names none. */
export async function fileNotes(header: Pick<BackupHeader, 'tables'>, config: Config): Promise<string[]> {
  const pictures = picturesOf(header)
  if (pictures === 0) return []
  return withBlobs(config, async (blobs) => [
    `The backup names ${counted(pictures)}, whose files are not in it: keep a copy of ${blobs?.place ?? 'the place that MEDIA_STORE or DATA_DIR names for the service'} that is made after it.`,
  ])
}

const PAGE = 1_000
const AT_ONCE = 16

/** What is missing of the pictures that a restored backup names. */
export async function missingNotes(header: BackupHeader, config: Config, db: Db): Promise<string[]> {
  const pictures = picturesOf(header)
  if (pictures === 0) return []
  return withBlobs(config, async (blobs) => {
    if (blobs === undefined)
      return [`There are ${counted(pictures)}, and no place for their files: set DATA_DIR or MEDIA_STORE.`]
    const missing = await countMissing(db, blobs)
    if (missing === 0) return [`The backup names ${counted(pictures)}; all files are in ${blobs.place}.`]
    return [
      `The backup names ${counted(pictures)}; of ${missing.toLocaleString('en')} the file is not in ${blobs.place}: copy it there.`,
    ]
  })
}

async function countMissing(db: Db, blobs: Blobs): Promise<number> {
  let missing = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await allMedia(db, after, PAGE)
    for (let at = 0; at < page.length; at += AT_ONCE) {
      const found = await Promise.all(page.slice(at, at + AT_ONCE).map((medium) => blobs.has(keyOf(medium))))
      missing += found.filter((isThere) => !isThere).length
    }
    const last = page.at(-1)
    if (last === undefined) return missing
    after = last.id
  }
}

function counted(pictures: number): string {
  return `${pictures.toLocaleString('en')} picture${pictures === 1 ? '' : 's'}`
}
