/** What a site needs to know of its service: one string to copy instead of four settings. */

/** The service's address, the site's id there, its `api_key` and its `webhook_secret`. */
export type Connection = { url: string; site: string; key: string; secret: string }

const PREFIX = 'prc_'

/** The connection as one string, base64url of JSON after `prc_`. It holds the secrets: for servers only. */
export function connectionCode({ url, site, key, secret }: Connection): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ url, site, key, secret }))
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads a connection code. Throws an Error whose message says what is wrong with it. */
export function parseConnectionCode(code: string | undefined): Connection {
  const text = code?.trim() ?? ''
  if (text === '')
    throw new Error('There is no connection code. Copy it from the site’s page in Postrider into POSTRIDER_CONNECTION.')
  const connection = text.startsWith(PREFIX) ? decode(text.slice(PREFIX.length)) : undefined
  if (connection === undefined)
    throw new Error(
      'The connection code is incomplete, or is not one. Copy all of it, from prc_ on, from the site’s page in Postrider.',
    )
  return connection
}

/**
 * The connection that is given, else the one in POSTRIDER_CONNECTION of the environment, else that of the file `.env` in the working directory: not
 * everything that runs a site hands its lines on. Throws as `parseConnectionCode` does.
 */
export function connectionOf(code?: string | undefined): Connection {
  const { process } = globalThis as { process?: NodeProcess }
  return parseConnectionCode(code ?? (process?.env?.POSTRIDER_CONNECTION || lineInFile(process)))
}

/** What is used of Node's `process`, where there is one. */
type NodeProcess = {
  env?: Record<string, string | undefined>
  getBuiltinModule?(name: 'fs'): { readFileSync(path: string, encoding: 'utf8'): string }
  getBuiltinModule?(name: 'util'): { parseEnv(text: string): Record<string, string | undefined> }
}

function lineInFile(process: NodeProcess | undefined): string | undefined {
  try {
    const text = process?.getBuiltinModule?.('fs').readFileSync('.env', 'utf8') ?? ''
    return process?.getBuiltinModule?.('util').parseEnv(text).POSTRIDER_CONNECTION
  } catch {
    return undefined // there is no such file, or nothing that reads files
  }
}

function decode(text: string): Connection | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const { url, site, key, secret }: Partial<Connection> = JSON.parse(new TextDecoder().decode(bytes))
    return url && site && key && secret ? { url, site, key, secret } : undefined
  } catch {
    return undefined
  }
}
