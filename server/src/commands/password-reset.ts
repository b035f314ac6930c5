import { resetPassword } from '../accounts/index.ts'
import { parseConfig } from '../platform/config.ts'
import { createSignalSender } from '../platform/signals.ts'
import { EXIT, noAccount, type Run } from './command.ts'
import { withCurrentDatabase } from './database.ts'

/** Gives an account a new password, for somebody who has forgotten theirs. */
export const run: Run = async ({ operands: [email = ''], env, terminal }) => {
  const reset = await withCurrentDatabase(parseConfig(env), (db) =>
    resetPassword({ db, signals: createSignalSender(db) }, email),
  )
  if (reset === undefined) throw noAccount(email)
  terminal.print(`${reset.email}: the new password is ${reset.password}`)
  terminal.note('All logins of the account have ended. The password is shown only here.')
  return EXIT.ok
}
