/**
 * Files of any size under keys, on disk or in a bucket. A file is there as a whole or not at all: it is written under a temporary name
 * first. Keys are made of letters, digits, dots and hyphens, with slashes between their parts, and never come from outside.
 */

/** Why files can neither be kept nor read just now; for the log. */
export class BlobError extends Error {}

/** The bytes of a file as they come, and how many there are. Leaving the loop early ends the reading. */
export type OpenBlob = { bytes: number; pieces: AsyncIterable<Uint8Array> }

export type Blobs = {
  /** Takes a file in the scratch directory over, which is gone then. Resolves when it would survive a crash. */
  put(key: string, path: string): Promise<void>
  /** Undefined if there is none. */
  open(key: string): Promise<OpenBlob | undefined>
  /** Whether there is one. */
  has(key: string): Promise<boolean>
  /** Removes all whose keys begin with `folder/`. */
  removeFolder(folder: string): Promise<void>
  /** Where they are, in words for operators. */
  place: string
}
