import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

/** Where every write finds the disk full (Linux). */
const FULL_DISK = '/dev/full'

const WRITER = `
  import { closeSync, openSync } from 'node:fs'
  const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)})
  const log = createLog('info')
  process.on('message', (lines) => {
    if (lines === 0) process.exit(0)
    if (typeof lines === 'string') {
      closeSync(1)
      openSync(lines, 'a') // the lowest number that is free: 1
      return
    }
    for (let line = 0; line < lines; line++) log.info('line', { line, text: 'x'.repeat(1000) })
    process.send('written')
  })
  process.send('ready')
`

type Line = { event: string; line?: number; lines?: number }

/** A process that writes as many lines of a kilobyte as it is told, ends at 0, and given a path, makes it its standard output. */
async function startWriter(stdout: 'pipe' | number) {
  const child = fork('-', [], {
    execArgv: ['--input-type=module', '--eval', WRITER],
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'message')
  return child
}

/** Has a process write lines while nobody reads; then reads all that it kept. */
async function readLate(lines: number): Promise<Line[]> {
  const child = await startWriter('pipe')
  child.send(lines)
  await once(child, 'message') // comes although a pipe holds 64 kB
  const read = []
  if (child.stdout === null) throw new Error('no pipe')
  setTimeout(() => child.send(0), 2_500)
  for await (const line of createInterface({ input: child.stdout })) read.push(JSON.parse(line))
  return read
}

test('a reader that is slow holds up nobody and misses nothing', async () => {
  const read = await readLate(2_000)
  expect(read.map(({ line }) => line)).toEqual(Array.from({ length: 2_000 }, (_, line) => line))
})

test('what a reader leaves lying too long is counted', async () => {
  expectCounted(await readLate(20_000), 20_000)
})

test.runIf(existsSync(FULL_DISK))('a full disk ends nothing, and lines come again once there is room', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-log-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const child = await startWriter(openSync(FULL_DISK, 'w'))
  child.send(20_000)
  await once(child, 'message')
  child.send(join(dir, 'log'))
  const written = async () => (await readFile(join(dir, 'log'), 'utf8').catch(() => '')).split('\n').slice(0, -1)
  await expect.poll(async () => (await written()).at(-1), { timeout: 20_000 }).toContain('log.dropped')
  child.send(1)
  await once(child, 'message')
  child.send(0)
  expect(await once(child, 'exit')).toEqual([0, null])
  const read: Line[] = (await written()).map((line) => JSON.parse(line))
  expect(read.at(-1)).toMatchObject({ event: 'line', line: 0 })
  expectCounted(read.slice(0, -1), 20_000)
})

test.runIf(existsSync(FULL_DISK))('a process whose disk stays full ends in order', async () => {
  const child = await startWriter(openSync(FULL_DISK, 'w'))
  child.send(1)
  await once(child, 'message')
  child.send(0)
  expect(await once(child, 'exit')).toEqual([0, null])
})

/** Expects that lines were dropped, and that each of `lines` lines was either kept or counted. */
function expectCounted(read: Line[], lines: number): void {
  const [kept, told] = [
    read.filter(({ event }) => event === 'line'),
    read.filter(({ event }) => event === 'log.dropped'),
  ]
  expect(kept.length).toBeLessThan(lines)
  expect(kept.length + (told[0]?.lines ?? 0)).toBe(lines)
}
