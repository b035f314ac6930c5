import { existsSync } from 'node:fs'

/** Where Debian puts it: its small form without windows, which needs a quarter less of the processor, or the whole browser. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const found = PLACES.find((path) => existsSync(path))

/** The browser to test in. */
export const CHROMIUM = found ?? 'chromium'

/** Whether there is one. */
export const hasChromium = found !== undefined
