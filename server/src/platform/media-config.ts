/** The configuration for uploaded files: where they are kept, and how large they may be. */
import { compileAllow, OPERATORS_NETWORKS } from './egress/addresses.ts'
import { checkUrl } from './egress/target.ts'

/** The kinds of places for files. */
export const MEDIA_STORES = ['disk', 's3'] as const
export type MediaStore = (typeof MEDIA_STORES)[number]

/** A bucket of an S3-compatible service; `endpoint` without a trailing slash. */
export type BucketConfig = { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string }

/** More than MEDIA_MAX may say. */
export const MOST_UPLOAD_BYTES = 100 * 2 ** 20

/** Where files are kept. `unset`: the operator has not said, and nothing would be a good guess. */
export type MediaPlace = { kind: 'disk'; directory: string } | ({ kind: 's3' } & BucketConfig) | { kind: 'unset' }

/** Everything about uploaded files; `mostBytes` of one. */
export type MediaConfig = { mostBytes: number; place: MediaPlace }

/** What the variables hold, each parsed by itself; undefined where nothing was set. */
export type MediaVariables = {
  store: MediaStore | undefined
  mostBytes: number
  bucket: { [Name in keyof BucketConfig]: BucketConfig[Name] | undefined }
}

const NAMES: Record<keyof BucketConfig, string> = {
  endpoint: 'MEDIA_S3_ENDPOINT',
  bucket: 'MEDIA_S3_BUCKET',
  region: 'MEDIA_S3_REGION',
  accessKey: 'MEDIA_S3_ACCESS_KEY',
  secretKey: 'MEDIA_S3_SECRET_KEY',
}

/**
 * Combines the variables. `directory`: the one in the data directory; undefined if it is nobody's choice, so that it may be lost with the
 * machine while the database stays. `report` is told what does not fit, one line each.
 */
export function mediaConfig(
  { store, mostBytes, bucket }: MediaVariables,
  directory: { chosen: boolean; path: string },
  report: (problem: string) => void,
): MediaConfig {
  const given = Object.entries(NAMES).filter(([key]) => bucket[key as keyof BucketConfig] !== undefined)
  if (store !== 's3') {
    const [name] = given.find(([key]) => key !== 'region') ?? []
    if (name !== undefined) report(`MEDIA_STORE: set it to s3 to use ${NAMES[name as keyof BucketConfig]}`)
    const isUnset = store === undefined && !directory.chosen
    return { mostBytes, place: isUnset ? { kind: 'unset' } : { kind: 'disk', directory: directory.path } }
  }
  for (const [key, name] of Object.entries(NAMES))
    if (bucket[key as keyof BucketConfig] === undefined) report(`${name}: required with MEDIA_STORE=s3`)
  const { endpoint = '', bucket: name = '', region = '', accessKey = '', secretKey = '' } = bucket
  return { mostBytes, place: { kind: 's3', endpoint, bucket: name, region, accessKey, secretKey } }
}

const ALLOWED = compileAllow(OPERATORS_NETWORKS)

/** The address of an S3-compatible service. It may be in the operator's own network, and plain http there. */
export function parseEndpoint(text: string): string {
  const verdict = checkUrl(text, ALLOWED)
  if (!verdict.ok) throw new Error(verdict.reason)
  const url = new URL(text)
  if (url.search !== '' || url.hash !== '') throw new Error('must not have a query or a fragment')
  return url.href.replace(/\/+$/, '')
}

/** The name of a bucket, as S3 allows them. */
export function parseBucket(text: string): string {
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text))
    throw new Error(`"${text}" is not the name of a bucket; it has lower-case letters, digits, hyphens and dots`)
  return text
}
