/** Shows a person who waits what is being done. Only a terminal is shown a running count of seconds. */

/** One step at a time. */
export type Steps = {
  /** Shows what is being done, until it is done or another step begins. */
  begin(doing: string): void
  /** Leaves a line that says what has been done, and how long it took. */
  done(what: string): void
  /** Removes what is shown of a step under way. */
  clear(): void
}

/** Where steps are shown: standard output, or a part of it that has no more than this. */
export type Screen = { isTTY?: boolean; write(text: string): unknown }

const BACK_TO_START = '\r\x1b[2K'

/** Shows steps on `screen`. */
export function showSteps(screen: Screen): Steps {
  let startedAt = 0
  let ticking: NodeJS.Timeout | undefined
  const clear = () => {
    if (ticking === undefined) return
    clearInterval(ticking)
    ticking = undefined
    screen.write(BACK_TO_START)
  }
  return {
    begin(doing) {
      clear()
      startedAt = performance.now()
      if (screen.isTTY !== true) return void screen.write(`  ${doing} …\n`)
      screen.write(`  ${doing} …`)
      ticking = setInterval(() => screen.write(`${BACK_TO_START}  ${doing} … ${seconds(startedAt, 0)}`), 1_000)
      ticking.unref()
    },
    done(what) {
      clear()
      screen.write(`  ${what} (${seconds(startedAt, 1)})\n`)
    },
    clear,
  }
}

function seconds(sinceMs: number, digits: number): string {
  return `${((performance.now() - sinceMs) / 1_000).toFixed(digits)} s`
}
