/** Rules of the architecture that the compiler does not check: which way imports run, and what only the platform touches. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = import.meta.dirname

/** Each may import those before it, never those after it. */
const ORDER = [
  'platform',
  'accounts',
  'engine',
  'destinations',
  'notifications',
  'sites',
  'media',
  'posts',
  'deliveries',
  'incidents',
  'pull',
  'transfer',
  'generation',
  'analytics',
  'live',
  'mcp',
]

const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$|test-/.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

function importsOf({ path, text }: { path: string; text: string }): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier]) => specifier ?? '')
  return specifiers.map((specifier) => relative(ROOT, resolve(ROOT, dirname(path), specifier)))
}

const sliceOf = (path: string) => path.split('/')[0] ?? ''

describe('imports', () => {
  it('finds the sources it speaks of', () => {
    expect(sources.length).toBeGreaterThan(40)
    expect(sources.flatMap(importsOf).length).toBeGreaterThan(100)
  })

  it('run one way between slices, and only through their index', () => {
    const wrong = sources.flatMap((source) => {
      const from = sliceOf(source.path)
      if (!ORDER.includes(from)) return []
      return importsOf(source)
        .filter((target) => sliceOf(target) !== from)
        .filter((target) => {
          const to = sliceOf(target)
          const allowed = ORDER.indexOf(to) !== -1 && ORDER.indexOf(to) < ORDER.indexOf(from)
          return !allowed || (to !== 'platform' && target !== `${to}/index.ts`)
        })
        .map((target) => `${source.path} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('of the commands reach slices only through their index, and only the process entry reaches the commands', () => {
    const wrong = sources.flatMap((source) => {
      const from = sliceOf(source.path)
      return importsOf(source)
        .filter((target) => {
          const to = sliceOf(target)
          if (to === 'commands') return from !== 'commands' && source.path !== 'main.ts'
          return from === 'commands' && to !== 'platform' && ORDER.includes(to) && target !== `${to}/index.ts`
        })
        .map((target) => `${source.path} → ${target}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('outside the platform', () => {
  const forbidden: Array<[name: string, pattern: RegExp]> = [
    ['the system clock', /\bDate\.now\(|new Date\(\)|\bsetTimeout\(|\bsetInterval\(/],
    ['ambient randomness', /\bMath\.random\(|\brandomUUID\(/],
    ['the environment', /\bprocess\.env\b/],
    ['the console', /\bconsole\./],
    ['the terminal', /\bprocess\.(stdout|stderr)\b/],
    ['a way out of the process', /(?<![.\w])fetch\(|from 'undici'|from 'node:(http|https|net|tls|dns)'/],
  ]
  // The process entry has the environment and the terminal; serving ends with a forced exit; app.ts owns the listener.
  const exempt: Record<string, string[]> = {
    'main.ts': ['the environment', 'the terminal'],
    'commands/serve.ts': ['the system clock', 'the terminal'],
    'commands/ask.ts': ['the terminal'],
    'app.ts': ['a way out of the process'],
  }

  it.each(forbidden)('nothing uses %s', (name, pattern) => {
    const users = sources
      .filter(({ path, text }) => sliceOf(path) !== 'platform' && !exempt[path]?.includes(name) && pattern.test(text))
      .map(({ path }) => path)
    expect(users).toEqual([])
  })

  it('SQL stands with the owner of its tables', () => {
    const owners = new Map(
      sources
        .filter(({ path }) => path.endsWith('/tables.ts') && path !== 'platform/db/tables.ts')
        .flatMap(({ path, text }) =>
          [...text.matchAll(/^ {4}(\w+): \w+Table$/gm)].map(([, table]) => [table ?? '', sliceOf(path)]),
        ),
    )
    expect(owners.size).toBeGreaterThanOrEqual(9)
    // People see and change in `deliveries` what the engine keeps.
    const owns = (path: string, table: string) => {
      const owner = owners.get(table)
      return owner === sliceOf(path) || (owner === 'engine' && sliceOf(path) === 'deliveries')
    }
    const strangers = sources.flatMap(({ path, text }) => {
      const used = [
        ...text.matchAll(
          /(?:selectFrom|insertInto|updateTable|deleteFrom|[jJ]oin)\(\s*'(\w+)|\b(?:from|join|update|into) (\w+)\b/g,
        ),
      ].map(([, a, b]) => a ?? b ?? '')
      return used
        .filter((table) => owners.has(table) && !owns(path, table) && sliceOf(path) !== 'migrations')
        .map((table) => `${path}: ${table}`)
    })
    expect(strangers).toEqual([])
  })

  it('one file writes posts, and so raises the revision of what sites see', () => {
    const writes =
      /(?:insertInto|updateTable|deleteFrom)\('post(?:s|_sites|_slugs)'|\b(?:insert into|update|delete from) post(?:s|_sites|_slugs)\b/
    expect(sources.filter(({ text }) => writes.test(text)).map(({ path }) => path)).toEqual(['posts/writes.ts'])
  })
})
