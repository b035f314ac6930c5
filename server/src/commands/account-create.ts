import { createAccount, RegisterBody, randomPassword } from '../accounts/index.ts'
import { systemClock } from '../platform/clock.ts'
import { parseConfig } from '../platform/config.ts'
import { Failure } from '../platform/errors.ts'
import { createIds } from '../platform/ids.ts'
import { CommandError, EXIT, PROGRAM, type Run, UsageError } from './command.ts'
import { withCurrentDatabase } from './database.ts'

/** Creates an account for somebody who should not or cannot register. */
export const run: Run = async ({ operands: [email, name], env, terminal }) => {
  const config = parseConfig(env)
  const input = RegisterBody.safeParse({ email, name, password: randomPassword() })
  if (!input.success) throw new UsageError(input.error.issues.map(({ message }) => message).join(' '))
  const account = await withCurrentDatabase(config, (db) =>
    createAccount({ config, db, clock: systemClock, ids: createIds(systemClock) }, input.data),
  ).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'conflict')
      throw new CommandError(
        `The e-mail address ${email} already has an account. To reset its password: ${PROGRAM} password reset ${email}`,
      )
    throw error
  })
  terminal.print(`${account.email}: the password is ${input.data.password}`)
  terminal.note('The password is shown only here. It can be changed on the account page of the dashboard.')
  return EXIT.ok
}
