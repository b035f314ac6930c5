/** What the dashboard shows for a kind of site, put where it says. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const CODE = join(import.meta.dirname, '../../dashboard/src/receivers/code')

/** Writes files of `dashboard/src/receivers/code`, by the path that each has in the site. */
export async function writeShown(directory: string, names: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, name] of Object.entries(names))
    await write(directory, path, await readFile(join(CODE, `${name}.txt`), 'utf8'))
}

/** Writes a file of the site, with the folders that it is in. */
export async function write(directory: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await writeFile(join(directory, path), text)
}
