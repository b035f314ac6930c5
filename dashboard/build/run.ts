/**
 * `npm run build` builds the dashboard. With `--if-needed`, as before `npm start`, it builds only what has changed and
 * never fails: the service is worth starting without a dashboard.
 */
import { kilobytes } from './budget.ts'
import { build, buildIfNeeded } from './build.ts'

const startedAt = performance.now()
const took = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

if (process.argv.includes('--if-needed')) {
  try {
    if ((await buildIfNeeded()).built) console.log(`The dashboard is built (${took()}).`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.error(
      `The dashboard could not be built, so the service starts with the one that is there, if any.\n${reason}\n` +
        'Run "npm ci" if packages are missing, then "npm run build" to see all of it.\n',
    )
  }
} else {
  const sizes = await build()
  console.log(`The dashboard is built (${took()}). Script before a screen works, after gzip:`)
  for (const { screen, bytes } of sizes) console.log(`  ${screen.padEnd(24)} ${kilobytes(bytes)}`)
}
