import type { Egress } from '../egress/egress.ts'
import type { MediaPlace } from '../media-config.ts'
import type { Blobs } from './blobs.ts'
import { bucketBlobs } from './bucket.ts'
import { diskBlobs } from './disk.ts'

/** The files in a place; undefined where the operator has set none. */
export function createBlobs(place: MediaPlace, egress: Egress): Blobs | undefined {
  if (place.kind === 'unset') return undefined
  return place.kind === 'disk' ? diskBlobs(place.directory) : bucketBlobs(place, egress)
}
