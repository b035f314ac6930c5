/**
 * The long fault runs, one by one: `npm run faults -- NAME`, or `all`. Each prints its figures as one line of JSON, and the
 * process exits non-zero when a guarantee was broken: something lost, or something sent twice that no fault explains.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestPostgres, type TestPostgres } from '../support/postgres/server.ts'
import { randomFrom } from '../support/random.ts'
import { diskFull } from './disk-full.ts'
import { killImporting } from './importing.ts'
import { type KillOptions, killStory } from './kill.ts'
import type { Outcome } from './load.ts'
import { connectionsEnded, connectionsSilent, databaseKills, envFor, poolExhausted } from './postgres.ts'
import { stoppedPastLease, terminated, workerKilled } from './processes.ts'
import { killTelling } from './telling.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
})

type Fault = (place: { dir: string; postgres: () => Promise<TestPostgres> }) => Promise<Outcome>

const kill = (name: string, env: Record<string, string>) => killStory(options(name, env))

const options = (name: string, env: Record<string, string>): KillOptions => ({
  kills: Number(values.kills),
  env: { LOG_LEVEL: 'silent', DELIVERY_TIMEOUT: '2s', ...env },
  random: randomFrom(Number(values.seed)),
  onRound: (round) => process.stderr.write(`\r${name}: ${round}/${values.kills}`),
})

const FAULTS: Record<string, Fault> = {
  'kill-embedded': ({ dir }) => kill('embedded', { DATA_DIR: dir }),
  'kill-postgres': async ({ postgres }) => kill('postgres', envFor(await postgres())),
  'kill-importing': ({ dir }) => killImporting(options('importing', { DATA_DIR: dir })),
  'kill-importing-postgres': async ({ dir, postgres }) =>
    killImporting(options('importing', { ...envFor(await postgres()), DATA_DIR: dir })),
  'kill-telling': ({ dir }) => killTelling(options('telling', { DATA_DIR: dir })),
  'worker-killed': async ({ postgres }) => workerKilled(await postgres()),
  'worker-stopped': async ({ postgres }) => stoppedPastLease(await postgres()),
  terminated: async ({ postgres }) => terminated(envFor(await postgres())),
  'terminated-embedded': ({ dir }) => terminated({ DATA_DIR: dir, LOG_LEVEL: 'silent' }),
  'database-killed': async ({ postgres }) => databaseKills(await postgres(), 5),
  'connections-ended': async ({ postgres }) => connectionsEnded(envFor(await postgres()), 20),
  'connections-silent': async ({ postgres }) => connectionsSilent(await postgres()),
  'pool-exhausted': async ({ postgres }) => poolExhausted(await postgres(), 8),
  'disk-full': ({ dir }) => diskFull(dir),
}

const asked = positionals[0] === 'all' ? Object.keys(FAULTS) : positionals
if (asked.length === 0 || asked.some((name) => !(name in FAULTS))) {
  console.error(
    `Usage: npm run faults -- all | NAME… [--kills 50] [--seed 1]\nNames: ${Object.keys(FAULTS).join(', ')}`,
  )
  process.exit(64)
}

let broken = false
for (const name of asked) {
  const dir = await mkdtemp(join(tmpdir(), 'postrider-fault-'))
  let server: TestPostgres | undefined
  const postgres = async () => {
    server = await startTestPostgres()
    return server
  }
  const outcome = await FAULTS[name]?.({ dir, postgres })
  await server?.stop()
  await rm(dir, { recursive: true, force: true })
  if (outcome === undefined) continue
  const { lost, ...figures } = outcome
  const date = new Date().toISOString().slice(0, 10)
  console.log(
    JSON.stringify({ fault: name, ...figures, lost: lost.length, date, cpu: cpus()[0]?.model, node: process.version }),
  )
  broken ||= lost.length > 0 || outcome.unexplainedRepeats > 0
}
process.exit(broken ? 1 : 0)
