/** What `sslmode` may be, and what the driver is told. Its own reading of these words is about to change, with a warning until then. */
const SSL_MODES: Record<string, string> = {
  disable: 'disable',
  'no-verify': 'no-verify',
  require: 'verify-full',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
}

/**
 * Checks the address of a PostgreSQL server, and makes its `sslmode` one that means the same in every version of the driver:
 * encrypted, and to the server that has the name. Throws an error for an address that cannot be one, or for an `sslmode` that
 * would do without encryption when the server, or somebody between, asks for that.
 */
export function parseDatabaseUrl(text: string): string {
  const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text) : null
  if (url === null) throw new Error('must look like postgres://user:password@host:5432/database')
  const [asked, another] = url.searchParams.getAll('sslmode')
  if (asked === undefined) return text
  if (another !== undefined) throw new Error('sslmode is given twice')
  const mode = Object.hasOwn(SSL_MODES, asked) ? SSL_MODES[asked] : undefined
  if (mode === undefined) throw new Error(`sslmode "${asked}" is not one of ${Object.keys(SSL_MODES).join(', ')}`)
  if (mode === asked) return text
  url.searchParams.set('sslmode', mode)
  return url.href
}
