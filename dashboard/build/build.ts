/** Builds the dashboard into `dist`, all of it or nothing: a build that fails leaves the previous one in place. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { buildSitePackages } from '../../packaging/site-packages.ts'
import { assertWithinBudget, type ScreenSize, screenSizes } from './budget.ts'
import { compressFiles } from './compress.ts'
import { noticesOf } from './notices.ts'
import { isFresh, writeStamp } from './stamp.ts'

const ROOT = join(import.meta.dirname, '..')

/** Where the service looks for it. */
const DIST = join(ROOT, 'dist')

/** The notices of bundled packages, which the page of the account links. */
const NOTICES = 'licenses.txt'

/** What sites install, which the service serves with the dashboard. */
const PACKAGES = 'packages'

/** Builds unless what is there is of the present sources. `onBegin` is called before a build. */
export async function buildIfNeeded(onBegin = () => {}): Promise<{ built: boolean }> {
  if (await isFresh(DIST)) return { built: false }
  onBegin()
  await build()
  return { built: true }
}

/** Builds and returns what each screen loads. Throws when the sources are wrong or a screen is over its budget. */
export async function build(): Promise<ScreenSize[]> {
  const outDir = join(ROOT, `.dist-${process.pid}`)
  // React has two editions, and Vite takes the slow one when the environment says anything but this.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    const { chunks, modules, bundled } = await bundle(outDir)
    for (const source of await buildSitePackages(join(outDir, PACKAGES))) modules.add(source)
    const sizes = screenSizes(chunks)
    assertWithinBudget(sizes)
    await writeFile(join(outDir, NOTICES), await noticesOf(bundled))
    await compressFiles(outDir)
    await writeStamp(outDir, modules)
    await rm(DIST, { recursive: true, force: true })
    await rename(outDir, DIST)
    return sizes
  } finally {
    process.env.NODE_ENV = NODE_ENV
    await rm(outDir, { recursive: true, force: true })
  }
}

async function bundle(outDir: string) {
  // Loaded here, so that an installation without the tools can still say that nothing is to be done.
  const { build: viteBuild } = await import('vite')
  const modules = new Set<string>()
  const output = await viteBuild({
    configFile: join(ROOT, 'vite.config.ts'),
    mode: 'production',
    logLevel: 'warn',
    // Every screen has a budget of its own, so Vite need not warn of large files.
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: Number.POSITIVE_INFINITY },
    plugins: [
      {
        name: 'loaded-modules',
        buildEnd() {
          for (const id of this.getModuleIds()) modules.add(id)
        },
      },
    ],
  })
  if (Array.isArray(output) || !('output' in output)) throw new Error('one bundle was expected')
  const chunks = output.output.filter((one) => one.type === 'chunk')
  const assets = output.output.filter((one) => one.type === 'asset')
  const bundled = [
    ...chunks.flatMap(({ modules }) => Object.keys(modules).filter((id) => (modules[id]?.renderedLength ?? 0) > 0)),
    ...assets.flatMap(({ originalFileNames }) => originalFileNames.map((name) => resolve(ROOT, name))),
    // Its style sheet is part of ours, and no module.
    createRequire(import.meta.url).resolve('tailwindcss'),
  ]
  return { chunks, modules, bundled }
}
