import { fail } from '../errors.ts'
import type { Endpoint } from './endpoint.ts'

/** A path of the service with its methods, HEAD included. */
export type Path = { path: string; methods: string[]; pattern: RegExp }

const PARAMETER = /\{\w+\}/g

/** The paths of these endpoints, the most literal first: `/posts/bulk` is before `/posts/{id}`, which would take "bulk" for an id. */
export function pathsOf(endpoints: ReadonlyArray<Pick<Endpoint, 'path' | 'method'>>): Path[] {
  const rank = (path: string) => path.replaceAll(PARAMETER, '\uffff')
  return [...Map.groupBy(endpoints, (one) => one.path)]
    .map(([path, list]) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(PARAMETER, '[^/]+')}$`),
      methods: list.flatMap((one) => (one.method === 'get' ? ['GET', 'HEAD'] : [one.method.toUpperCase()])),
    }))
    .sort((one, other) => (rank(one.path) < rank(other.path) ? -1 : 1))
}

/** The path that an address belongs to. */
export function pathAt(paths: readonly Path[], pathname: string): Path | undefined {
  return paths.find(({ pattern }) => pattern.test(pathname))
}

/** Refuses a method that the path does not have, or an address that belongs to no path. */
export function refuse(path: Path | undefined): never {
  if (path === undefined) throw fail('not_found', 'There is nothing at this address.')
  const methods = path.methods.join(', ')
  throw fail('method_not_allowed', `This address supports only ${methods}.`, { headers: { Allow: methods } })
}
