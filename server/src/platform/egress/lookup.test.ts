import dgram from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { createLookup, type Lookup, type LookupOptions } from './lookup.ts'

const [A, AAAA] = [1, 28]
const NXDOMAIN = 3

/** `late`: what is asked for this type is answered after 200 ms. */
type Answer =
  | 'silence'
  | { code?: number; addresses?: Partial<Record<typeof A | typeof AAAA, string>>; late?: typeof A | typeof AAAA }

/** A name server (RFC 1035) that answers by the first label of the name. */
async function startNameServer(answers: Record<string, Answer>): Promise<string> {
  const server = dgram.createSocket('udp4')
  let open = true
  server.on('message', (question, { port, address }) => {
    const label = question.toString('latin1', 13, 13 + (question[12] ?? 0)).toLowerCase()
    const end = question.indexOf(0, 12) + 5
    const type = question.readUInt16BE(end - 4)
    const answer = answers[label] ?? { code: NXDOMAIN }
    if (answer === 'silence') return
    const found = type === A || type === AAAA ? answer.addresses?.[type] : undefined
    const reply = Buffer.from(question.subarray(0, end))
    reply.writeUInt16BE(0x8180 | (answer.code ?? 0), 2)
    reply.writeUInt16BE(found === undefined ? 0 : 1, 6)
    reply.writeUInt32BE(0, 8)
    const message = found === undefined ? reply : Buffer.concat([reply, record(type, found)])
    setTimeout(() => open && server.send(message, port, address), answer.late === type ? 200 : 0)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    open = false
    server.close()
  })
  return `127.0.0.1:${server.address().port}`
}

/** A resource record of the requested name, with a TTL of zero. */
function record(type: number, address: string): Buffer {
  const data =
    type === A ? Buffer.from(address.split('.').map(Number)) : Buffer.from(address.replaceAll(':', ''), 'hex')
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
  return Buffer.concat([head, data])
}

const ask = (lookup: Lookup, name: string) =>
  new Promise<string[]>((resolve, reject) =>
    lookup(name, { all: true }, (error, found) =>
      error === null ? resolve(found.map(({ address }) => address)) : reject(error),
    ),
  )

const patience = { timeout: 200, tries: 1 }
const nobody: Lookup = (name, _options, callback) => callback(Object.assign(new Error(name), { code: 'ENOTFOUND' }), [])

async function start(answers: Record<string, Answer>, options: LookupOptions = {}) {
  return createLookup({ servers: [await startNameServer(answers)], system: nobody, patience, ...options })
}

test('names whose servers are silent keep nobody waiting', async () => {
  const lookup = await start(
    { healthy: { addresses: { [A]: '192.0.2.1' } }, silent: 'silence' },
    { patience: { timeout: 2_000, tries: 1 } },
  )
  const ended: string[] = []
  const silent = Array.from({ length: 100 }, (_, index) =>
    ask(lookup, `silent.s${index}.example`).catch((error) => ended.push(error.code)),
  )
  expect(await ask(lookup, 'healthy.example')).toEqual(['192.0.2.1'])
  expect(ended).toEqual([])
  await Promise.all(silent)
  expect(new Set(ended)).toEqual(new Set(['ETIMEOUT']))
})

test('both families are asked, and IPv4 comes first', async () => {
  const lookup = await start({
    both: { addresses: { [A]: '192.0.2.1', [AAAA]: '2001:0db8:0000:0000:0000:0000:0000:0001' } },
    new: { addresses: { [AAAA]: '2001:0db8:0000:0000:0000:0000:0000:0002' } },
  })
  expect(await ask(lookup, 'both.example')).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(await ask(lookup, 'new.example')).toEqual(['2001:db8::2'])
})

test('a late IPv4 address is waited for, since there may be no IPv6 here; a late IPv6 address is not', async () => {
  const addresses = { [A]: '192.0.2.1', [AAAA]: '2001:0db8:0000:0000:0000:0000:0000:0001' }
  const patience = { timeout: 2_000, tries: 1 }
  const lookup = await start({ a: { addresses, late: A }, b: { addresses, late: AAAA } }, { patience })
  expect(await ask(lookup, 'a.example')).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(await ask(lookup, 'b.example')).toEqual(['192.0.2.1'])
})

test('what the name servers do not know, and names without a dot, are asked of the system, one at a time', async () => {
  const asked: string[] = []
  let atOnce = 0
  const lookup = await start(
    {},
    {
      system: (name, _options, callback) => {
        asked.push(name)
        atOnce += 1
        setTimeout(() => {
          expect(atOnce).toBe(1)
          atOnce -= 1
          callback(null, [{ address: '10.1.2.3', family: 4 }])
        }, 5)
      },
    },
  )
  expect(await ask(lookup, 'wordpress')).toEqual(['10.1.2.3'])
  const names = ['wordpress.blog', 'ghost.blog', 'strapi.blog']
  expect(await Promise.all(names.map((name) => ask(lookup, name)))).toEqual(names.map(() => ['10.1.2.3']))
  expect(asked.toSorted()).toEqual(['ghost.blog', 'strapi.blog', 'wordpress', 'wordpress.blog'])
})

test('a name server that is silent or broken is not doubted: the system would only wait for it as well', async () => {
  const lookup = await start({ silent: 'silence', broken: { code: 2 } })
  await expect(ask(lookup, 'silent.example')).rejects.toMatchObject({ code: 'ETIMEOUT' })
  await expect(ask(lookup, 'broken.example')).rejects.toMatchObject({ code: 'ESERVFAIL' })
  await expect(ask(lookup, 'unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND', message: 'unknown.example' })
})
