/** The server and the sample site as plain JavaScript: Node runs no TypeScript that lies in `node_modules`. */
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')

/** What stays a dependency: the one finds its WebAssembly and its files beside its own code, the other is made for each platform. */
const EXTERNAL = ['@electric-sql/pglite', 'sharp']

/** `new URL('./name', import.meta.url)`, with or without the dot: how a source names a file beside it. */
const BESIDE = /new URL\('((?:\.\/)?[^'./][^']*)', import\.meta\.url\)/g

/** Takes the files along that sources name beside them: TypeScript runs in a thread or process of its own, the rest is read. */
const filesBeside: Plugin = {
  name: 'files-beside',
  transform: {
    filter: { id: /\/(server|integrations)\/.*\.ts$/, code: "', import.meta.url)" },
    async handler(code, id) {
      const references = new Map<string, string>()
      for (const [, path = ''] of code.matchAll(BESIDE)) {
        const file = resolve(dirname(id), path)
        const reference =
          extname(file) === '.ts'
            ? this.emitFile({ type: 'chunk', id: file })
            : this.emitFile({ type: 'asset', name: basename(file), source: await readFile(file) })
        references.set(path, reference)
      }
      return code.replace(BESIDE, (_, path) => `new URL(import.meta.ROLLUP_FILE_URL_${references.get(path)})`)
    },
  },
}

/** Writes the programs into `directory`. Resolves with the files that they were made of and the packages that they need. */
export async function bundleServer(directory: string): Promise<{ files: string[]; needed: string[] }> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { main: 'server/src/main.ts', 'sample-site': 'integrations/sample-site/src/main.ts' },
    // pg asks for its native variant, which nobody has, and goes on without.
    external: (id) => id === 'pg-native' || EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [filesBeside],
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    assetFileNames: '[name]-[hash][extname]',
  })
  await bundle.close()
  const files = output.flatMap((one) =>
    one.type === 'chunk' ? Object.keys(one.modules).filter((id) => (one.modules[id]?.renderedLength ?? 0) > 0) : [],
  )
  return { files, needed: EXTERNAL }
}
