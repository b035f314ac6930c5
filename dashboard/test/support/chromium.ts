import { existsSync } from 'node:fs'

/** Where Debian puts it. */
export const CHROMIUM = '/usr/bin/chromium'

/** Whether there is a browser to test in. */
export const hasChromium = existsSync(CHROMIUM)
