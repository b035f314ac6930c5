/** What `sslmode` may be, and what the driver is told. It will soon read some of these words differently, and warns of that. */
const SSL_MODES: Record<string, string> = {
  disable: 'disable',
  'no-verify': 'no-verify',
  require: 'verify-full',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
}

/** Stands in URLs for the host that a socket's address does not have: `postgres://user@/database?host=/run/postgresql`. */
const NO_HOST = 'socket.invalid'

/**
 * Checks the address of a PostgreSQL server, and replaces an `sslmode` that versions of the driver read differently: `require`
 * and `verify-ca` become `verify-full`. Throws an error for an address that cannot be one, and for an `sslmode` that gives up
 * encryption if the server, or somebody in between, declines it.
 */
export function parseDatabaseUrl(text: string): string {
  const url = urlOf(text)
  const [asked, another] = url.searchParams.getAll('sslmode')
  if (asked === undefined) return text
  if (another !== undefined) throw new Error('sslmode is given twice')
  const mode = Object.hasOwn(SSL_MODES, asked) ? SSL_MODES[asked] : undefined
  if (mode === undefined) throw new Error(`sslmode "${asked}" is not one of ${Object.keys(SSL_MODES).join(', ')}`)
  if (mode === asked) return text
  url.searchParams.set('sslmode', mode)
  return textOf(url)
}

/** A checked address to show: without its password, and without parameters, which may hold secrets too. */
export function withoutSecrets(databaseUrl: string): string {
  const url = urlOf(databaseUrl)
  if (url.password !== '') url.password = '***'
  url.search = ''
  return textOf(url)
}

function urlOf(text: string): URL {
  const isPostgres = /^postgres(ql)?:\/\//.test(text)
  const url = isPostgres ? (URL.parse(text) ?? URL.parse(text.replace('@/', `@${NO_HOST}/`))) : null
  if (url === null) throw new Error('must look like postgres://user:password@host:5432/database')
  return url
}

function textOf(url: URL): string {
  return url.href.replace(`@${NO_HOST}/`, '@/')
}
