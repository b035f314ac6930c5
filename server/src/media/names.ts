/** Names of files: as people read them, and as addresses have them. */
import { slugify } from 'transliteration'
import { PICTURE_TYPES, type PictureType } from './pictures/types.ts'

/** The most characters of a name. */
export const MOST_NAME = 200

const ENDING = /\.[a-z0-9]{1,5}$/i

/** A name that somebody gave a file, without folders and with the ending of what it is. */
export function fileName(given: string | undefined, type: PictureType): string {
  const last = (given ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const stem = [
    ...last
      .replaceAll(/\p{Cc}/gu, '')
      .replace(ENDING, '')
      .trim(),
  ]
    .slice(0, MOST_NAME - 5)
    .join('')
  return `${stem === '' ? 'picture' : stem}.${PICTURE_TYPES[type].ending}`
}

/** A name as a part of an address that needs no escapes. */
export function addressName(name: string, type: PictureType): string {
  const stem = slugify(name.replace(ENDING, ''), { ignore: [] })
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$/g, '')
  return `${stem === '' ? 'picture' : stem}.${PICTURE_TYPES[type].ending}`
}
