/** The front matter of a Markdown file: YAML between lines of `---`, TOML between lines of `+++`, or JSON. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

/** The values at the beginning of a file, and the text after them. `problem`: why there are none, a sentence. */
export type MarkdownFile = { values: Record<string, unknown>; text: string; problem?: string }

const MOST_CHARACTERS = 100_000
const FENCES = {
  '---': /^---[ \t]*\n([\s\S]*?)^(?:---|\.\.\.)[ \t]*(?:\n|$)/m,
  '+++': /^\+\+\+[ \t]*\n([\s\S]*?)^\+\+\+[ \t]*(?:\n|$)/m,
}

/** Splits a file. One without front matter has no values. */
export function splitFrontMatter(file: string): MarkdownFile {
  const source = file.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const fence = source.startsWith('---') ? '---' : source.startsWith('+++') ? '+++' : undefined
  if (fence === undefined) return { values: {}, text: source }
  const found = FENCES[fence].exec(source.slice(0, MOST_CHARACTERS))
  if (found === null || found.index !== 0) return { values: {}, text: source }
  try {
    const values: unknown = fence === '---' ? yaml(found[1] ?? '') : parseToml(found[1] ?? '')
    const isMap = typeof values === 'object' && values !== null && !Array.isArray(values)
    return { values: isMap ? (values as Record<string, unknown>) : {}, text: source.slice(found[0].length) }
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0] : ''
    return { values: {}, text: '', problem: `Its front matter cannot be read: ${message?.slice(0, 200)}.` }
  }
}

/** Aliases that multiply what they stand for are an error. */
function yaml(text: string): unknown {
  return parseYaml(text, { maxAliasCount: 20, logLevel: 'error' })
}
