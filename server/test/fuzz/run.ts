/**
 * The long run of fuzz.test.ts: `npm run fuzz -- [--runs 1000] [--seed N] [--project embedded]`. Without a seed it makes
 * one up; the seed is printed, and repeats the run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    project: { type: 'string', multiple: true, default: ['embedded', 'postgres'] },
  },
})

const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const projects = values.project.flatMap((name) => ['--project', name])
const child = spawn(process.execPath, [vitest, 'run', '--mode', 'all', 'server/test/fuzz.test.ts', ...projects], {
  env: { ...process.env, FUZZ_RUNS: values.runs, FUZZ_SEED: values.seed },
  stdio: 'inherit',
})
const [code] = await once(child, 'exit')
process.exit(code ?? 1)
