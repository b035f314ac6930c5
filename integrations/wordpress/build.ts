/** Makes the zip that WordPress installs. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Zippable, zipSync } from 'fflate'

const PLUGIN = join(import.meta.dirname, 'plugin')

/** The name under which the zip is offered. */
export const ZIP_NAME = 'postrider-wordpress.zip'

/** The earliest time that a zip can hold: the same files make the same bytes, whenever and wherever. */
const NO_TIME = new Date(1980, 0, 1)

/** The plugin as a zip with one folder, which Plugins → Add New → Upload takes. */
export async function buildPlugin(): Promise<Buffer> {
  const paths: string[] = []
  for await (const path of glob('postrider/**/*.{php,txt}', { cwd: PLUGIN })) paths.push(path.replaceAll('\\', '/'))
  const files: Zippable = {}
  for (const path of paths.sort()) files[path] = await readFile(join(PLUGIN, path))
  return Buffer.from(zipSync(files, { level: 9, mtime: NO_TIME }))
}
