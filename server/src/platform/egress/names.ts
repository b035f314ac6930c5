import { isIP } from 'node:net'
import { createResolver } from './resolve.ts'

/** Resolves the names among these hosts (literal addresses are skipped). `dead`: the names that do not resolve. */
export async function lookUpNames(hosts: readonly string[]): Promise<{ names: string[]; dead: string[] }> {
  const names = hosts.filter((host) => !host.startsWith('[') && isIP(host) === 0)
  const resolve = createResolver()
  const answers = await Promise.all(
    names.map((name) => new Promise<boolean>((done) => resolve(name, (error) => done(error === undefined)))),
  )
  return { names, dead: names.filter((_, index) => answers[index] === false) }
}
