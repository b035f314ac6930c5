/** The direction of imports here, and which server files run in a browser. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SOURCES = import.meta.dirname
const SERVER = join(SOURCES, '../../server')

type Import = { specifier: string; path: string | undefined }

/** What a file imports at run time, without types. `path` is set for our own files. */
function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  return [
    ...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'"=();]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map(([, a, b]) => {
    const specifier = a ?? b ?? ''
    return { specifier, path: specifier.startsWith('.') ? resolve(dirname(file), specifier) : undefined }
  })
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|specimen/.test(path))
  .map((path) => join(SOURCES, path))

/** `ui/button.tsx`, or `../sdk/…` for a file outside. */
const nameOf = (path: string) => relative(SOURCES, path).replaceAll('\\', '/')
/** The part a file belongs to: its folder, its screen, or the file itself. */
const partOf = (name: string) =>
  name.startsWith('screens/') ? name.split(/[/.]/, 2).join('/') : (name.split('/')[0] ?? '')

function importsBetween(wrong: (from: string, to: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ path }) => path !== undefined && wrong(nameOf(file), nameOf(path)))
      .map(({ specifier }) => `${nameOf(file)} → ${specifier}`),
  )
}

describe('imports of the dashboard', () => {
  it('are found', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(files.flatMap(importsOf).length).toBeGreaterThan(80)
  })

  it('stay inside, but for packages', () => {
    expect(importsBetween((_from, to) => to.startsWith('..'))).toEqual([])
  })

  it('never go from one screen to another: each is loaded by itself', () => {
    const screen = (name: string) => name.startsWith('screens/')
    expect(importsBetween((from, to) => screen(from) && screen(to) && partOf(from) !== partOf(to))).toEqual([])
    expect(importsBetween((from, to) => screen(to) && !screen(from) && from !== 'router.tsx')).toEqual([])
  })

  it('of primitives know nothing of screens, sites or posts', () => {
    const below = ['ui', 'api.ts', 'format.ts']
    expect(importsBetween((from, to) => partOf(from) === 'ui' && !below.includes(partOf(to)))).toEqual([])
  })
})

describe('what the server shares', () => {
  const { exports } = JSON.parse(readFileSync(join(SERVER, 'package.json'), 'utf8')) as {
    exports: Record<string, string>
  }

  it('is the rules of posts, the schema of their text with its addresses, how words are counted, what outlines leave, where posts are and what helps a site', () => {
    expect(Object.keys(exports)).toEqual([
      './deliveries/troubleshooting',
      './generation/notes',
      './posts/policy',
      './posts/body/attributes',
      './posts/body/embeds',
      './posts/body/schema',
      './posts/body/text',
      './sites/post-address',
    ])
  })

  it.each(Object.values(exports))('%s imports nothing that a browser has not', (entry) => {
    const seen = new Set<string>()
    const packages = new Set<string>()
    const visit = (file: string) => {
      if (seen.has(file)) return
      seen.add(file)
      for (const { specifier, path } of importsOf(file)) {
        if (path === undefined) packages.add(specifier)
        else visit(path)
      }
    }
    visit(join(SERVER, entry))
    expect([...packages].filter((name) => name !== 'prosemirror-model')).toEqual([])
  })
})
