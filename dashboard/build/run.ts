/**
 * `npm run build` builds the dashboard. With `--if-needed`, as before `npm start`, it builds only what has changed and
 * never fails: the service is worth starting without a dashboard.
 */
import { showSteps } from '../../server/src/platform/steps.ts'
import { kilobytes } from './budget.ts'
import { build, buildIfNeeded } from './build.ts'

const steps = showSteps(process.stdout)
const begin = () => steps.begin('Building the dashboard')

if (process.argv.includes('--if-needed')) {
  try {
    if ((await buildIfNeeded(begin)).built) steps.done('Built the dashboard')
  } catch (error) {
    steps.clear()
    const reason = error instanceof Error ? error.message : String(error)
    console.error(
      `The dashboard could not be built, so the service starts with the one that is there, if any.\n${reason}\n` +
        'Run "npm ci" if packages are missing, then "npm run build" to see all of it.\n',
    )
  }
} else {
  begin()
  const sizes = await build().finally(steps.clear)
  steps.done('Built the dashboard')
  console.log('  Script before a screen works, after gzip:')
  for (const { screen, bytes } of sizes) console.log(`  ${screen.padEnd(24)} ${kilobytes(bytes)}`)
}
