/**
 * Pictures in a bucket: a real S3-compatible server, moto (`pip install 'moto[server]'`), which checks the signature of each request as S3
 * does. Skipped where `moto_server` is not installed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from './support/free-port.ts'
import { newAccount, startService, type TestService } from './support/service.ts'

function isInstalled(): boolean {
  try {
    execFileSync('moto_server', ['--help'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const BUCKET = 'pictures'
const tried = isInstalled()
let server: ChildProcess | undefined
let endpoint: string
let keys: { accessKeyId: string; secretAccessKey: string }
let service: TestService

/** Signs a request as somebody and sends it; resolves with its text. */
async function ask(method: string, path: string, name: string, body?: string): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const signer = new AwsV4Signer({
    ...keys,
    method,
    url: endpoint + path,
    service: name,
    region: 'us-east-1',
    headers,
    body: body ?? null,
  })
  const { url, headers: signed } = await signer.sign()
  const answer = await fetch(url, { method, headers: signed, ...(body === undefined ? {} : { body }) })
  return answer.text()
}

/** Starts a server; without `INITIAL_NO_AUTH_ACTION_COUNT` it checks no signatures. */
async function startServer(env: Record<string, string>): Promise<{ server: ChildProcess; endpoint: string }> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
  const answers = () =>
    fetch(`${address}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    )
  for (let tries = 0; tries < 400 && !(await answers()); tries += 1) await pause(50)
  return { server: child, endpoint: address }
}

beforeAll(async () => {
  if (!tried) return // Three requests are answered to anybody: somebody has to make the first user.
  ;({ server, endpoint } = await startServer({ INITIAL_NO_AUTH_ACTION_COUNT: '3' }))
  keys = { accessKeyId: 'anybody', secretAccessKey: 'anything' }
  const iam = (action: string) => ask('POST', '/', 'iam', `Version=2010-05-08&UserName=postrider&${action}`)
  await iam('Action=CreateUser')
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] }
  const document = encodeURIComponent(JSON.stringify(policy))
  await iam(`Action=PutUserPolicy&PolicyName=all&PolicyDocument=${document}`)
  const made = await iam('Action=CreateAccessKey')
  const of = (name: string) => new RegExp(`<${name}>([^<]+)<`).exec(made)?.[1] ?? ''
  keys = { accessKeyId: of('AccessKeyId'), secretAccessKey: of('SecretAccessKey') }
  expect(await ask('PUT', `/${BUCKET}`, 's3')).not.toContain('Error')
  service = await startService({
    MEDIA_STORE: 's3',
    MEDIA_S3_ENDPOINT: endpoint,
    MEDIA_S3_BUCKET: BUCKET,
    MEDIA_S3_ACCESS_KEY: keys.accessKeyId,
    MEDIA_S3_SECRET_KEY: keys.secretAccessKey,
  })
})
afterAll(async () => {
  await service?.stop()
  server?.kill()
})

it.runIf(tried)('are kept, converted and served there', async () => {
  const client = await newAccount(service)
  const create = {
    width: 700,
    height: 700,
    channels: 3,
    background: 'red',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  } as const
  const bytes = await sharp({ create }).png().toBuffer()
  const medium = await client.media.upload(new File([new Uint8Array(bytes)], 'noise.png'))
  const fetched = async (query: string) => {
    const answer = await fetch(medium.url.replace('http://localhost:0', service.url) + query)
    return Buffer.from(await answer.arrayBuffer())
  }
  expect((await fetched('')).equals(bytes)).toBe(true)
  expect(await sharp(await fetched('?w=320&f=webp')).metadata()).toMatchObject({ format: 'webp', width: 320 })
  const stored = await ask('GET', `/${BUCKET}?list-type=2`, 's3')
  expect(stored.match(/<Key>[^<]+/g)?.map((key) => key.split('/').at(-1))).toEqual(['original', 'w320.webp'])
  expect(service.logged.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
})

it.runIf(tried)('that cannot be kept there are refused, and the log says why', async () => {
  const wrong = await startService({
    MEDIA_STORE: 's3',
    MEDIA_S3_ENDPOINT: endpoint,
    MEDIA_S3_BUCKET: BUCKET,
    MEDIA_S3_ACCESS_KEY: keys.accessKeyId,
    MEDIA_S3_SECRET_KEY: 'another',
  })
  const client = await newAccount(wrong)
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const upload = client.media.upload(new Blob([new Uint8Array(bytes)]))
  await expect(upload).rejects.toMatchObject({ status: 503, message: expect.stringContaining('operator') })
  const { media } = await client.media.list()
  expect(media).toEqual([])
  await wrong.stop()
})

// The server computes another signature where a query has a slash, as that of a list has: here it computes none.
it.runIf(tried)('are removed there', async () => {
  const open = await startServer({})
  await fetch(`${open.endpoint}/${BUCKET}`, { method: 'PUT' })
  const trusting = await startService({
    MEDIA_STORE: 's3',
    MEDIA_S3_ENDPOINT: open.endpoint,
    MEDIA_S3_BUCKET: BUCKET,
    MEDIA_S3_ACCESS_KEY: 'anybody',
    MEDIA_S3_SECRET_KEY: 'anything',
  })
  const client = await newAccount(trusting)
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const { id } = await client.media.upload(new Blob([new Uint8Array(bytes)]))
  const listed = async () => (await fetch(`${open.endpoint}/${BUCKET}?list-type=2`)).text()
  expect(await listed()).toContain('<Key>')
  await client.media.delete(id)
  expect(await listed()).not.toContain('<Key>')
  await trusting.stop()
  open.server.kill()
})
