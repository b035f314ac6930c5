/**
 * What the dashboard tells to install, as a host's build server has it: `npm ci` in an empty place with an empty cache, once from the service's own
 * address, and once from `vendor/` while the service is not there.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { installCommand } from '../../dashboard/src/receivers/install-command.ts'
import sdk from '../../sdk/package.json' with { type: 'json' }
import astro from '../astro/package.json' with { type: 'json' }
import gatsby from '../gatsby/package.json' with { type: 'json' }
import next from '../next/package.json' with { type: 'json' }
import { write } from './shown.ts'
import type { Stage } from './stage.ts'

/** What a site commits. */
const COMMITTED = ['package.json', 'package-lock.json', 'vendor']

/** See `run.ts`. */
export async function tell(stage: Stage): Promise<Record<string, string>> {
  const { run, seen, service } = stage
  for (const own of [sdk, astro, gatsby, next]) {
    const name = `${own.name} ${own.version}`
    const [vendored, fetched] = [
      join(stage.directory, `${own.name}-vendor`),
      join(stage.directory, `${own.name}-fetched`),
    ]
    for (const site of [vendored, fetched])
      await write(site, 'package.json', '{ "name": "site", "private": true, "type": "module" }\n')

    // The address is one of this machine, so the dashboard has the package copied into the site.
    await run('sh', ['-ec', installCommand({ packages: '', own }, service)], { cwd: vendored })
    await stage.stopService()
    await installClean(stage, vendored, own.name)
    await stage.startService()
    seen(`${name} from \`vendor/\`: \`npm ci\` in a clean place, without the service`)

    const [file = ''] = await readdir(join(vendored, 'vendor'))
    await run('npm', ['install', '--no-audit', '--no-fund', `${service}/packages/${file}`], { cwd: fetched })
    await installClean(stage, fetched, own.name)
    seen(`${name} from the service’s address: \`npm ci\` in a clean place`)
  }
  const npm = (await run('npm', ['--version'])).trim()
  return { npm }
}

/** `npm ci` of what the site commits, with nothing of this machine; the package must be there, with the files that it exports. */
async function installClean({ directory, run }: Stage, site: string, name: string): Promise<void> {
  const place = await mkdtemp(join(directory, 'clean-'))
  const [clone, home] = [join(place, 'site'), join(place, 'home')]
  for (const path of [clone, home]) await mkdir(path)
  for (const one of (await readdir(site)).filter((entry) => COMMITTED.includes(entry)))
    await cp(join(site, one), join(clone, one), { recursive: true })
  const env = { HOME: home, npm_config_cache: join(place, 'cache') }
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, env })
  const installed = join(clone, 'node_modules', name)
  const { exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  for (const entry of Object.values(exports))
    await readFile(join(installed, typeof entry === 'string' ? entry : entry.default))
  await rm(place, { recursive: true })
}
