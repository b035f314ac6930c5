import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const WRITER = `
  const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)})
  const log = createLog('info')
  process.on('message', (lines) => {
    if (lines === 0) process.exit(0)
    for (let line = 0; line < lines; line++) log.info('line', { line, text: 'x'.repeat(1000) })
    process.send('written')
  })
  process.send('ready')
`

/** Has a process write lines of a kilobyte while nobody reads; then reads them all. */
async function readLate(lines: number): Promise<{ event: string; line?: number; lines?: number }[]> {
  const child = fork('-', [], {
    execArgv: ['--input-type=module', '--eval', WRITER],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  child.send(lines)
  await once(child, 'message') // comes although a pipe holds 64 kB
  const read = []
  if (child.stdout === null) throw new Error('no pipe')
  setTimeout(() => child.send(0), 1_000)
  for await (const line of createInterface({ input: child.stdout })) read.push(JSON.parse(line))
  return read
}

test('a reader that is slow holds up nobody and misses nothing', async () => {
  const read = await readLate(2_000)
  expect(read.map(({ line }) => line)).toEqual(Array.from({ length: 2_000 }, (_, line) => line))
})

test('what a reader leaves lying too long is counted', async () => {
  const read = await readLate(20_000)
  const [kept, told] = [
    read.filter(({ event }) => event === 'line'),
    read.filter(({ event }) => event === 'log.dropped'),
  ]
  expect(kept.length).toBeLessThan(20_000)
  expect(kept.length + (told[0]?.lines ?? 0)).toBe(20_000)
})
