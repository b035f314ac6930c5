/** Checks what the service needs, one finding after the other. It changes and creates nothing. */
import { type Config, ConfigError, parseConfig } from '../platform/config.ts'
import { EXIT, PROGRAM, type Run } from './command.ts'
import { checkDatabase } from './doctor/database.ts'
import { about, type Finding } from './doctor/finding.ts'
import { checkDataDir, checkNames, checkPort } from './doctor/machine.ts'
import { checkDrafts } from './doctor/model.ts'

const MARKS = { good: '✓', bad: '✗', unknown: '–' } as const

/** Prints a line for each check; exits 1 when something has to be fixed. */
export const run: Run = async ({ env, terminal }) => {
  let bad = 0
  const report = (finding: Finding) => {
    if (finding.state === 'bad') bad += 1
    terminal.print(`${MARKS[finding.state]} ${finding.what}: ${finding.text}`)
  }
  const config = readConfig(env, report)
  if (config !== undefined) {
    report(await checkDataDir(config))
    const { findings, hosts } = await checkDatabase(config)
    for (const finding of findings) report(finding)
    report(await checkNames(hosts))
    report(await checkDrafts(config))
    report(await checkPort(config))
  }
  terminal.print(bad === 0 ? '\nEverything checked is in order.' : `\nProblems to fix: ${bad}.`)
  return bad === 0 ? EXIT.ok : EXIT.failed
}

function readConfig(env: Parameters<typeof parseConfig>[0], report: (finding: Finding) => void): Config | undefined {
  const what = about('configuration')
  try {
    const config = parseConfig(env)
    report(what.good(`valid; ${PROGRAM} config shows it`))
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) report(what.bad(problem))
    return undefined
  }
}
