import { setPlan } from '../accounts/index.ts'
import { PLANS, parseConfig } from '../platform/config.ts'
import { EXIT, noAccount, type Run, UsageError } from './command.ts'
import { withCurrentDatabase } from './database.ts'

/** Puts an account on another plan. */
export const run: Run = async ({ operands, env, terminal }) => {
  const [email = '', wanted = ''] = operands
  const plan = PLANS.find((name) => name === wanted)
  if (plan === undefined) throw new UsageError(`There is no plan "${wanted}". Plans: ${PLANS.join(', ')}`)
  const change = await withCurrentDatabase(parseConfig(env), (db) => setPlan(db, email, plan))
  if (change === undefined) throw noAccount(email)
  terminal.print(`${change.email}: ${change.before} → ${plan}`)
  return EXIT.ok
}
