/** The notices that the licences of bundled packages ask for, made from what a bundler really put into its output. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package that is part of a bundle. `text` is its licence file, if it has one. */
type Bundled = { name: string; version: string; license: string; text: string | undefined }

/** The directory of the package that a file belongs to: what follows the last `node_modules`. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/

const LICENSE_FILE = /^(licen[cs]e|copying)/i

const INTRODUCTION = 'Postrider contains the following packages. It is under the MIT licence itself.'

/** The notices as plain text, for the files (absolute paths) of which a bundle was made. Files of ours are passed over. */
export async function noticesOf(files: Iterable<string>): Promise<string> {
  const directories = new Set<string>()
  for (const file of files) {
    const [directory] = PACKAGE.exec(file.replaceAll('\\', '/')) ?? []
    if (directory !== undefined) directories.add(directory)
  }
  const packages = await Promise.all([...directories].map(readPackage))
  // A package may be there twice in one version, for two others that need it.
  const byName = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  const entries = [...byName]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([title, { license, text }]) => `${title} (${license})\n${text === undefined ? '' : `\n${text}\n`}`)
  return [INTRODUCTION, ...entries].join(`\n${'-'.repeat(80)}\n`)
}

async function readPackage(directory: string): Promise<Bundled> {
  const [manifest, names] = await Promise.all([readFile(join(directory, 'package.json'), 'utf8'), readdir(directory)])
  const { name, version, license } = JSON.parse(manifest) as Record<string, unknown>
  if (typeof name !== 'string' || typeof version !== 'string' || typeof license !== 'string')
    throw new Error(`${directory} does not say under which licence it is. Look it up before you ship it.`)
  const file = names.find((one) => LICENSE_FILE.test(one))
  const text = file === undefined ? undefined : (await readFile(join(directory, file), 'utf8')).trim()
  return { name, version, license, text }
}
