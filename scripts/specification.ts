/**
 * Holds docs/specification.md and the tests to each other: every row has the test it names, every test that is named
 * after a row (`§4 GET /api/posts`) or a point (`H3: …`) is on the page, and what is not there yet says so.
 */
import { glob, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = 'docs/specification.md'
const NOT_YET = 'not there yet'

/** A row of a table: a row of the specification (§…) or a point it leaves open, and where its tests are. */
type Row = { name: string; tests: Array<{ file: string; name: string }>; missing: boolean }

const page = await readFile(join(ROOT, PAGE), 'utf8')
const rows = [...page.matchAll(/^\| (§.+?|[A-Z]\d+) \| (.*?) ?\| (.*) \|$/gm)].map(readRow)
const sources = new Map<string, string>()
for await (const file of glob('server/{test,src}/**/*.test.ts', { cwd: ROOT }))
  sources.set(file, await readFile(join(ROOT, file), 'utf8'))

const problems = [...rows.flatMap(problemsOf), ...strangers()]
const missing = rows.filter((row) => row.missing).map(({ name }) => name)
if (missing.length > 0)
  console.log(`Of the specification, not there yet:\n${missing.map((name) => `  ${name}`).join('\n')}`)
if (problems.length > 0) {
  console.error(`${PAGE} and the tests differ:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  process.exit(1)
}
console.log(`The specification has ${rows.length} rows, ${rows.length - missing.length} of them with their tests.`)

function readRow([, name = '', , cell = '']: RegExpMatchArray): Row {
  const tests = cell.split('<br>').flatMap((part) => {
    const [, path, test] = /^\[[\w-]+\]\(([^)]+)\)(?:: (.+))?$/.exec(part.trim()) ?? []
    return path === undefined ? [] : [{ file: relative(ROOT, join(ROOT, dirname(PAGE), path)), name: test ?? name }]
  })
  return { name, tests, missing: cell.trim() === NOT_YET }
}

function problemsOf({ name, tests, missing }: Row): string[] {
  if (missing) {
    const early = [...sources].filter(([, source]) => titlesOf(source).includes(name))
    return early.map(([file]) => `"${name}" is said to be missing, but ${file} has it`)
  }
  if (tests.length === 0) return [`"${name}" names no test`]
  return tests
    .filter((test) => !titlesOf(sources.get(test.file) ?? '').includes(test.name))
    .map((test) => `"${name}": there is no test "${test.name}" in ${test.file}`)
}

/** Tests that are named after a row or a point, but which the page does not name. */
function strangers(): string[] {
  const named = new Set(rows.flatMap(({ tests }) => tests.map(({ file, name }) => `${file} ${name}`)))
  return [...sources].flatMap(([file, source]) =>
    titlesOf(source)
      .filter((title) => /^(§|[A-Z]\d+: )/.test(title) && !named.has(`${file} ${title}`))
      .map((title) => `"${title}" in ${file} is not on the page`),
  )
}

/** The titles of all tests and groups of tests in a source, as they are written. */
function titlesOf(source: string): string[] {
  const titles = source.matchAll(
    /(?:^|[\s(])(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"), (?:\{ [^}]*\}, )?(?:async )?\(/gm,
  )
  return [...titles].map(([, single, double]) => single ?? double ?? '')
}
