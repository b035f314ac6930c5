/** Lets browsers call the API from pages of the origins in CORS_ORIGINS (the Fetch standard's CORS protocol). */
import type { IncomingHttpHeaders } from 'node:http'

/** Headers that scripts of other origins may read, besides the CORS-safelisted ones. */
const EXPOSED_HEADERS = [
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
].join(',')

/** For how many seconds a browser may remember a preflight. */
const MAX_AGE = '600'

type Headers = Record<string, string>

/** What is added to answers of the API and its description, if there are such origins. */
export type CrossOrigin = {
  /** The headers that all answers have, and those for other origins; `headers` are this answer's own. */
  added(pathname: string, request: IncomingHttpHeaders, headers: Headers | undefined, common: Headers): Headers
  /** The headers that answer a preflight; undefined if the request is none. */
  preflight(method: string, pathname: string, request: IncomingHttpHeaders): Headers | undefined
}

/** Lets pages of these origins call. */
export function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const applies = (pathname: string) =>
    origins.length > 0 && (pathname.startsWith('/api/') || pathname === '/openapi.json')
  const allowed = ({ origin }: IncomingHttpHeaders): Headers =>
    origin !== undefined && origins.includes(origin) ? { 'Access-Control-Allow-Origin': origin } : {}
  return {
    added(pathname, request, headers, common) {
      if (!applies(pathname)) return common
      const vary = headers?.Vary === undefined ? 'Origin' : `${headers.Vary}, Origin`
      return { ...common, ...allowed(request), 'Access-Control-Expose-Headers': EXPOSED_HEADERS, Vary: vary }
    },
    preflight(method, pathname, request) {
      if (method !== 'OPTIONS' || !applies(pathname)) return undefined
      return {
        ...allowed(request),
        'Access-Control-Allow-Methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
        'Access-Control-Allow-Headers': request['access-control-request-headers'] ?? '',
        'Access-Control-Max-Age': MAX_AGE,
        Vary: 'Origin, Access-Control-Request-Headers',
      }
    },
  }
}
