import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'

type Header = { tables: { name: string; columns: string[]; rows: number }[]; migrations: string[]; secretKey?: string }

/** A backup's header, and its rows by table, sorted (a backup keeps no order). */
export async function readBackup(path: string): Promise<{ header: Header; rows: Record<string, string[]> }> {
  const [first = '', ...lines] = gunzipSync(await readFile(path))
    .toString('utf8')
    .split('\n')
  const header = JSON.parse(first) as Header
  const rows: Record<string, string[]> = {}
  for (const table of header.tables) rows[table.name] = lines.splice(0, table.rows).sort()
  return { header, rows }
}

/** Writes the backup again with another header and the right checksum. */
export async function forgeHeader(from: string, to: string, change: (header: Header) => object): Promise<void> {
  const [first = '', ...lines] = gunzipSync(await readFile(from))
    .toString('utf8')
    .split('\n')
  const body = [JSON.stringify(change(JSON.parse(first))), ...lines.slice(0, -2), ''].join('\n')
  const sha256 = createHash('sha256').update(body).digest('hex')
  await writeFile(to, gzipSync(`${body}${JSON.stringify({ sha256 })}\n`))
}
