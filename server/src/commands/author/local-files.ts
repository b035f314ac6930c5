/** Markdown files with front matter on the author's disk. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isRefused, postOfMarkdown, type SourcePost } from '../../transfer/index.ts'
import { CommandError } from '../command.ts'

/** A file: what it says, or why it is no post. */
export type LocalFile = { path: string } & ({ source: SourcePost } | { refused: string })

const IS_POST = /\.(?:md|markdown|mdx)$/i

/** Reads these files, and those below these directories. Throws CommandError for what is not there. */
export async function readLocalFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const found = (await Promise.all(paths.map(filesAt))).flat()
  return Promise.all([...new Set(found)].toSorted().map(readOne))
}

async function filesAt(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined) throw new CommandError(`There is no file ${path}.`)
  if (!stats.isDirectory()) return [path]
  const names = await readdir(path, { recursive: true })
  const hidden = (name: string) => name.split(sep).some((part) => part.startsWith('.') || part === 'node_modules')
  return names.filter((name) => IS_POST.test(name) && !hidden(name)).map((name) => join(path, name))
}

async function readOne(path: string): Promise<LocalFile> {
  const found = postOfMarkdown(relative('.', path).replaceAll(sep, '/'), await readFile(path, 'utf8'))
  return isRefused(found) ? { path, refused: found.reason } : { path, source: found }
}
