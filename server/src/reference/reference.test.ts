import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { afterEach, expect, it, vi } from 'vitest'
import { referenceRoutes } from './reference.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** Asks for the page; resolves with the answer's status, rejects as the route does. */
function asking(): () => Promise<number> {
  const page = referenceRoutes('http://localhost:3000').find(({ path }) => path === '/docs')
  const request = {
    method: 'GET',
    url: '/docs',
    header: (name: string) => (name === 'accept-encoding' ? 'gzip' : undefined),
  }
  return async () => ((await page?.answer(request, {}, {})) ?? { status: 0 }).status
}

it('is there at the second request if the file could not be read at the first', async () => {
  vi.spyOn(fs.promises, 'readFile').mockRejectedValueOnce(new Error('EMFILE: too many open files'))
  syncBuiltinESMExports()
  const ask = asking()
  await expect(ask()).rejects.toThrow('EMFILE')
  expect(await ask()).toBe(200)
})

it('is there at the second request if it could not be compressed at the first', async () => {
  vi.spyOn(zlib, 'gzip').mockImplementationOnce(((_: unknown, done: (error: Error) => void) =>
    done(new Error('out of memory'))) as never)
  syncBuiltinESMExports()
  const ask = asking()
  await expect(ask()).rejects.toThrow('out of memory')
  expect(await ask()).toBe(200)
})
