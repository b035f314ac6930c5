/** Which route an address belongs to. */
import { type Failure, fail } from '../errors.ts'
import { decodedPart } from './url.ts'

/** The place of a route: `path` in OpenAPI's form, such as `/api/posts/{id}`. */
type Place = { method: string; path: string }

type Path<Route> = { segments: string[]; routes: Map<string, Route> }

/** What was found at an address: a route with the values of its path's parameters, or why there is none. */
export type Found<Route> = { route: Route; params: Record<string, string> } | { failure: Failure }

const isParameter = (segment: string) => segment.startsWith('{')

/** Finds the route of a method and the path of an address, which may contain escapes. A route of GET also takes HEAD. */
export function createRouter<Route extends Place>(
  routes: readonly Route[],
): (method: string, pathname: string) => Found<Route> {
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '\uffff')
  const paths = [...Map.groupBy(routes, ({ path }) => path)]
    // The most literal first: `/posts/bulk` is before `/posts/{id}`, which would take "bulk" for an id.
    .sort(([one], [other]) => (rank(one) < rank(other) ? -1 : 1))
    .map(([path, list]): Path<Route> => ({ segments: path.split('/'), routes: new Map(list.flatMap(methodsOf)) }))
  const ofLength = Map.groupBy(paths, ({ segments }) => segments.length)
  return (method, pathname) => {
    const segments = pathname.split('/').map(decodedPart)
    const path = ofLength.get(segments.length)?.find((one) => fits(one.segments, segments))
    if (path === undefined) return { failure: fail('not_found', 'There is nothing at this address.') }
    const route = path.routes.get(method)
    if (route === undefined) return { failure: notAllowed([...path.routes.keys()]) }
    return { route, params: paramsOf(path.segments, segments) }
  }
}

function methodsOf<Route extends Place>(route: Route): Array<[string, Route]> {
  const method = route.method.toUpperCase()
  return method === 'GET' ? [['GET', route], ['HEAD', route]] : [[method, route]] // biome-ignore format: two cases
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((one, index) => (isParameter(one) ? segments[index] !== '' : one === segments[index]))
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, one] of pattern.entries()) if (isParameter(one)) params[one.slice(1, -1)] = segments[index] ?? ''
  return params
}

function notAllowed(methods: readonly string[]): Failure {
  const names = methods.join(', ')
  return fail('method_not_allowed', `This address supports only ${names}.`, { headers: { Allow: names } })
}
