/** What `login` keeps: the service's address and a token, in a file that only this user reads. */
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { CommandError, type Invocation } from '../command.ts'

const Login = z.object({ url: z.string(), token: z.string() })

/** Where a service is, and a token for it. */
export type Login = z.output<typeof Login>

type Env = Invocation['env']

/** Where it is kept (XDG Base Directory Specification). */
export function loginFile(env: Env): string {
  return join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), '.config'), 'postrider', 'login.json')
}

/** What is kept; undefined if nothing is. */
export async function readLogin(env: Env): Promise<Login | undefined> {
  const path = loginFile(env)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const read = Login.safeParse(unlessBroken(text))
  if (!read.success) throw new CommandError(`${path} is damaged. Log in again.`)
  return read.data
}

function unlessBroken(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Keeps it, for this user alone. */
export async function writeLogin(env: Env, login: Login): Promise<void> {
  const path = loginFile(env)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, `${JSON.stringify(login)}\n`, { mode: 0o600 })
  await chmod(path, 0o600) // one that was there keeps its mode otherwise
}

/** Forgets it. */
export async function removeLogin(env: Env): Promise<void> {
  await rm(loginFile(env), { force: true })
}
