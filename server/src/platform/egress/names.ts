import { isIP } from 'node:net'
import { createResolver } from './resolve.ts'

/** Looks up the names among these hosts (addresses need no looking up). `dead` are those without an answer. */
export async function lookUpNames(hosts: readonly string[]): Promise<{ names: string[]; dead: string[] }> {
  const names = hosts.filter((host) => !host.startsWith('[') && isIP(host) === 0)
  const resolve = createResolver()
  const answers = await Promise.all(
    names.map((name) => new Promise<boolean>((done) => resolve(name, (error) => done(error === undefined)))),
  )
  return { names, dead: names.filter((_, index) => answers[index] === false) }
}
