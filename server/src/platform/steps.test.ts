import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showSteps } from './steps.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** What is on the screen after `write` has been called: `\r` and the sequence that erases a line act as they do in a terminal. */
function screen(isTTY: boolean) {
  let text = ''
  const write = (more: string) => {
    for (const part of more.split(/(?=\r)/))
      text = part.startsWith('\r') ? text.slice(0, text.lastIndexOf('\n') + 1) + part.slice(5) : text + part
  }
  return { isTTY, write, text: () => text }
}

it('counts the seconds of a step in a terminal, and leaves one line of what was done', () => {
  const terminal = screen(true)
  const steps = showSteps(terminal)
  steps.begin('Starting')
  expect(terminal.text()).toBe('  Starting …')
  steps.begin('Creating the database')
  vi.advanceTimersByTime(3_400)
  expect(terminal.text()).toBe('  Creating the database … 3 s')
  steps.done('Created the database')
  steps.begin('Opening it')
  steps.clear()
  vi.advanceTimersByTime(3_000)
  expect(terminal.text()).toBe('  Created the database (3.4 s)\n')
})

it('writes a line when a step begins and one when it is done where there is no terminal', () => {
  const file = screen(false)
  const steps = showSteps(file)
  steps.begin('Creating the database')
  vi.advanceTimersByTime(3_400)
  steps.done('Created the database')
  expect(file.text()).toBe('  Creating the database …\n  Created the database (3.4 s)\n')
})
