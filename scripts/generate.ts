/**
 * Writes what is generated from the server: the OpenAPI document and the SDK's types.
 * `node scripts/generate.ts` writes, `node scripts/generate.ts --check` only compares and fails on drift.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { typesOf } from '../sdk/scripts/types.ts'
import { createApiDocument } from '../server/src/openapi.ts'

const DOCUMENT = fileURLToPath(new URL('../openapi/openapi.json', import.meta.url))
const TYPES = fileURLToPath(new URL('../sdk/src/generated/api.ts', import.meta.url))

const document = `${JSON.stringify(createApiDocument('/'), null, 2)}\n`
const outputs = new Map([
  [DOCUMENT, document],
  [TYPES, await typesOf(document)],
])

const checking = process.argv.includes('--check')
const stale: string[] = []
for (const [path, text] of outputs) {
  const current = await readFile(path, 'utf8').catch(() => undefined)
  if (current === text) continue
  stale.push(path)
  if (!checking) await writeFile(path, text)
}
if (checking && stale.length > 0) {
  console.error(`Generated files are stale; run npm run gen and commit:\n${stale.join('\n')}`)
  process.exit(1)
}
console.log(stale.length === 0 ? 'Generated files are up to date.' : `Written:\n${stale.join('\n')}`)
