import { hostname } from 'node:os'
import { createClient, type PostriderClient, PostriderError } from '@postrider/sdk'
import { DEFAULT_URL, reachService, sentenceOf } from './author/account.ts'
import { loginFile, readLogin, removeLogin, writeLogin } from './author/login-file.ts'
import { CommandError, EXIT, type Invocation, type Run, UsageError } from './command.ts'

const SCOPES = ['posts:read', 'posts:write', 'posts:publish', 'sites:read'] as const

/** Makes a token for this machine with the owner's password, and keeps it; with `forget`, forgets it. */
export const run: Run = async ({ operands, options, env, terminal }) => {
  if (options.forget === true) return forget({ env, terminal })
  const [url = env.POSTRIDER_URL ?? DEFAULT_URL] = operands
  if (!URL.canParse(url)) throw new UsageError(`This is no address: ${url}`)
  const email = (await terminal.ask(`E-mail address at ${url}: `)).trim()
  const password = await terminal.ask('Password: ', { hidden: true })
  const client = createClient({ baseUrl: url })
  const name = `Command line on ${hostname()}`.slice(0, 100)
  await reachService(url, async () => {
    await login(client, { email, password })
    const { token } = await client.tokens.create({ name, scopes: [...SCOPES] })
    await writeLogin(env, { url, token })
    await client.auth.logout().catch(() => {}) // it ends by itself, too
  })
  terminal.print(`You are logged in as ${email}: the commands of authors use the token “${name}” from now on.`)
  terminal.note(`It is kept in ${loginFile(env)}. Revoke it in the dashboard (Account, Programs).`)
  return EXIT.ok
}

async function login(client: PostriderClient, person: { email: string; password: string }): Promise<void> {
  try {
    await client.auth.login(person)
  } catch (error) {
    if (error instanceof PostriderError && error.status === 401)
      throw new CommandError(`${sentenceOf(error)} Nothing was changed.`)
    throw error
  }
}

async function forget({ env, terminal }: Pick<Invocation, 'env' | 'terminal'>): Promise<number> {
  const known = await readLogin(env)
  await removeLogin(env)
  terminal.print(
    known === undefined
      ? 'Nobody was logged in here.'
      : `Forgotten. The token works until somebody revokes it in the dashboard of ${known.url} (Account, Programs).`,
  )
  return EXIT.ok
}
