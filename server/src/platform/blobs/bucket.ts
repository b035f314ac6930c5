import { readFile, rm } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { AwsV4Signer } from 'aws4fetch'
import { OPERATORS_NETWORKS } from '../egress/addresses.ts'
import type { Egress, EgressRequest } from '../egress/egress.ts'
import type { BucketConfig } from '../media-config.ts'
import { BlobError, type Blobs } from './blobs.ts'

/** Of one request, with the bytes that it moves. */
const DEADLINE_MS = 60_000
/** More than any file has. */
const MOST_BYTES = 1_000_000_000
const LIST_BYTES = 10_000_000

type Asked = { method: EgressRequest['method']; path: string; body?: Uint8Array<ArrayBuffer>; mostBytes?: number }

/** Files in a bucket, which is addressed by path: every S3-compatible service knows that. */
export function bucketBlobs({ endpoint, bucket, region, accessKey, secretKey }: BucketConfig, egress: Egress): Blobs {
  const base = `${endpoint}/${bucket}`

  /** Sends a signed request. Throws BlobError unless the status is one of 200, 204 and 404. */
  async function ask({ method, path, body, mostBytes = LIST_BYTES }: Asked) {
    const signer = new AwsV4Signer({
      method,
      url: base + path,
      body: body ?? null,
      region,
      service: 's3',
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      // The body is protected by TLS, or by the operator's own network.
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    })
    const { url, headers } = await signer.sign()
    const answer = await egress.stream({
      method,
      url: url.href,
      headers: Object.fromEntries(headers),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: mostBytes,
      allow: OPERATORS_NETWORKS,
      ...(body === undefined ? {} : { body }),
    })
    if (answer.kind === 'unreachable') throw new BlobError(`${method} ${base}: ${answer.cause}, ${answer.detail}`)
    if ([200, 204, 404].includes(answer.status)) return answer
    const said = await buffer(answer.body).catch(() => Buffer.alloc(0))
    throw new BlobError(`${method} ${base}: status ${answer.status} ${said.subarray(0, 500).toString()}`)
  }

  /** The keys that begin with `prefix`, a page of them. */
  async function keysOf(prefix: string): Promise<string[]> {
    const answer = await ask({ method: 'GET', path: `?list-type=2&prefix=${encodeURIComponent(prefix)}` })
    const xml = (await buffer(answer.body)).toString()
    return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
  }

  return {
    place: `the bucket ${bucket} at ${endpoint}`,
    async put(key, path) {
      const answer = await ask({ method: 'PUT', path: `/${key}`, body: await readFile(path) })
      await answer.body.cancel()
      if (answer.status === 404) throw new BlobError(`PUT ${base}: there is no such bucket`)
      await rm(path)
    },
    async open(key) {
      const answer = await ask({ method: 'GET', path: `/${key}`, mostBytes: MOST_BYTES })
      if (answer.status !== 404) return { bytes: Number(answer.headers['content-length']), pieces: answer.body }
      await answer.body.cancel()
    },
    async has(key) {
      const answer = await ask({ method: 'HEAD', path: `/${key}` })
      await answer.body.cancel()
      return answer.status !== 404
    },
    async removeFolder(folder) {
      for (let keys = await keysOf(`${folder}/`); keys.length > 0; keys = await keysOf(`${folder}/`))
        for (const key of keys) await (await ask({ method: 'DELETE', path: `/${key}` })).body.cancel()
    },
  }
}
