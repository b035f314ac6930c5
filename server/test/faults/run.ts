/**
 * The long fault runs, by name: `npm run faults -- kill [--kills 50] [--seed 1]`. Each prints its figures as one line of
 * JSON per database and exits non-zero when a promise was broken.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestPostgres } from '../support/postgres/server.ts'
import { randomFrom } from '../support/random.ts'
import { killStory } from './kill.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
})

if (positionals[0] !== 'kill') {
  console.error('Usage: npm run faults -- kill [--kills 50] [--seed 1]')
  process.exit(64)
}

const kills = Number(values.kills)
const SECRET_KEY = 'a secret key for fault runs, long enough'
let broken = false

async function story(name: string, env: Record<string, string>): Promise<void> {
  const random = randomFrom(Number(values.seed))
  const report = await killStory({
    kills,
    env: { LOG_LEVEL: 'warn', DELIVERY_TIMEOUT: '2s', ...env },
    random,
    onRound: (round) => process.stderr.write(`\r${name}: ${round}/${kills}`),
  })
  process.stderr.write('\n')
  const { lost, ...figures } = report
  console.log(
    JSON.stringify({
      fault: 'kill',
      database: name,
      ...figures,
      lost: lost.length,
      date: new Date().toISOString(),
      cpu: cpus()[0]?.model,
      node: process.version,
    }),
  )
  broken ||= lost.length > 0 || report.unexplainedRepeats > 0
}

const dir = await mkdtemp(join(tmpdir(), 'postrider-kill-'))
await story('embedded', { DATA_DIR: dir })
await rm(dir, { recursive: true, force: true })

const postgres = await startTestPostgres()
await story('postgres', { DATABASE_URL: postgres.url, SECRET_KEY })
await postgres.stop()

process.exit(broken ? 1 : 0)
