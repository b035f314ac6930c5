import type { Selectable } from 'kysely'
import type { PictureType } from './pictures/types.ts'

type MediaTable = {
  id: string
  account_id: string
  /** Of the bytes that are kept and served. */
  sha256: string
  /** Of the bytes as they were uploaded, which may have had in them where a picture was taken. */
  source_sha256: string
  /** What its public address has in it. */
  hash: string
  /** As a person reads it, with its ending. */
  name: string
  alt: string
  type: PictureType
  /** As it is shown, turned as its EXIF data says. */
  width: number
  height: number
  animated: boolean
  bytes: number
  created_at: Date
}

/** Folders of files that nothing names, yet or any more. */
type LooseFilesTable = { folder: string; noted_at: Date }

/** A picture of an account. */
export type MediumRow = Selectable<MediaTable>

declare module '../platform/changes/kinds.ts' {
  interface ChangeKinds {
    medium: true
  }
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    media: MediaTable
    loose_files: LooseFilesTable
  }
}
