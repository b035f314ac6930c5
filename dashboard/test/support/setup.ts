import { buildIfNeeded } from '../../build/build.ts'
import { hasChromium } from './chromium.ts'

/** The tests are about what is built from the sources as they are now. */
export default async function setup(): Promise<void> {
  if (hasChromium) await buildIfNeeded()
  else console.warn(`No browser tests: there is no Chromium. On Debian: apt-get install chromium-headless-shell`)
}
