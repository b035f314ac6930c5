/** How much script a screen may need before it works, and what each one needs. */
import { gzipSync } from 'node:zlib'

/** Of a bundled file: what it imports at once, and which source file it stands for. */
export type Chunk = {
  fileName: string
  code: string
  imports: string[]
  isEntry: boolean
  facadeModuleId: string | null
}

/** What a screen loads before it works, in bytes after gzip. */
export type ScreenSize = { screen: string; bytes: number; budget: number }

const BUDGET = 200_000

/** Screens that may be larger, each with its reason. */
const LARGER: Record<string, number> = {
  // Tiptap and ProseMirror: a rich text cannot be written with less.
  editor: 400_000,
}

/** Every screen under `src/screens` with what it loads at first: the entry, itself, and all that these import at once. */
export function screenSizes(chunks: readonly Chunk[]): ScreenSize[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const sizes = new Map(chunks.map(({ fileName, code }) => [fileName, gzipSync(code, { level: 9 }).length]))
  const reach = (names: readonly string[], seen = new Set<string>()): Set<string> => {
    for (const name of names) {
      if (seen.has(name)) continue
      seen.add(name)
      reach(byName.get(name)?.imports ?? [], seen)
    }
    return seen
  }
  const entries = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName)
  return chunks.flatMap((chunk) => {
    const [, screen] = /\/src\/screens\/(.+)\.tsx$/.exec(chunk.facadeModuleId ?? '') ?? []
    if (screen === undefined) return []
    const loaded = reach([...entries, chunk.fileName])
    const bytes = [...loaded].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
    return [{ screen, bytes, budget: LARGER[screen] ?? BUDGET }]
  })
}

/** Throws when a screen is over its budget. */
export function assertWithinBudget(sizes: readonly ScreenSize[]): void {
  const over = sizes.filter(({ bytes, budget }) => bytes > budget)
  if (over.length === 0) return
  const lines = over.map(
    ({ screen, bytes, budget }) => `  ${screen}: ${kilobytes(bytes)}, allowed are ${kilobytes(budget)}`,
  )
  throw new Error(`Too much script before a screen works (after gzip):\n${lines.join('\n')}`)
}

/** `187.4 kB`. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
