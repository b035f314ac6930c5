/** Checks what the service needs, one finding after the other. It changes and creates nothing. */
import { type Config, ConfigError, parseConfig } from '../platform/config.ts'
import { EXIT, PROGRAM, type Run } from './command.ts'
import { checkDatabase } from './doctor/database.ts'
import type { Finding } from './doctor/finding.ts'
import { checkDrafts } from './doctor/model.ts'
import { checkDataDir, checkNames, checkPort } from './doctor/surroundings.ts'

const MARKS = { good: '✓', bad: '✗', unknown: '–' } as const

/** Prints a line for each check; exits 1 when something has to be fixed. */
export const run: Run = async ({ env, terminal }) => {
  let bad = 0
  const tell = (finding: Finding) => {
    if (finding.state === 'bad') bad += 1
    terminal.print(`${MARKS[finding.state]} ${finding.what}: ${finding.text}`)
  }
  const config = readConfig(env, tell)
  if (config !== undefined) {
    tell(await checkDataDir(config))
    const { findings, hosts } = await checkDatabase(config)
    for (const finding of findings) tell(finding)
    tell(await checkNames(hosts))
    tell(await checkDrafts(config))
    tell(await checkPort(config))
  }
  terminal.print(bad === 0 ? '\nEverything checked is in order.' : `\nProblems to fix: ${bad}.`)
  return bad === 0 ? EXIT.ok : EXIT.failed
}

function readConfig(env: Parameters<typeof parseConfig>[0], tell: (finding: Finding) => void): Config | undefined {
  try {
    const config = parseConfig(env)
    tell({ what: 'configuration', state: 'good', text: `valid; ${PROGRAM} config shows it` })
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) tell({ what: 'configuration', state: 'bad', text: problem })
    return undefined
  }
}
