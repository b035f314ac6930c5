/**
 * Compares our conversion of a blog's files with a reference renderer's: `npm run corpus -- DIR`. Lists what differs, by kind and
 * with the names of the files. Exits with 1 if text was lost of which no warning tells.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BodyError } from '../../src/posts/body/convert.ts'
import { compare, type Kind } from './compare.ts'

const SHOWN = 5
const [directory] = process.argv.slice(2)
if (directory === undefined) {
  console.error('Usage: npm run corpus -- DIR')
  process.exit(64)
}

const found = new Map<Kind | 'refused' | 'lost without a warning', string[]>()
const add = (kind: Kind | 'refused' | 'lost without a warning', line: string) =>
  found.set(kind, [...(found.get(kind) ?? []), line])
const files = globSync('**/*.{md,markdown,html}', { cwd: directory }).sort()
let warned = 0
for (const [index, file] of files.entries()) {
  if (index % 200 === 199) console.error(`${index + 1} of ${files.length} files`)
  try {
    const text = readFileSync(join(directory, file), 'utf8').replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
    const { differences, losses } = compare(text, file.endsWith('.html') ? 'html' : 'markdown')
    if (losses.length > 0) warned += 1
    for (const [kind, example] of differences) add(kind, `${file}: ${example.slice(0, 100).replace(/\s+/g, ' ')}`)
    if (differences.has('text') && losses.length === 0)
      add('lost without a warning', `${file}: ${differences.get('text')}`)
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    add('refused', `${file}: ${error.message}`)
  }
}

console.log(`${files.length} files, ${warned} of them with warnings`)
for (const [kind, lines] of found) {
  console.log(`\n${kind}: ${lines.length} files`)
  for (const line of lines.slice(0, SHOWN)) console.log(`  ${line}`)
}
process.exitCode = found.has('lost without a warning') ? 1 : 0
