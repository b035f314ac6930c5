/** Questions at a terminal. The answers may also come line by line through a pipe. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

/** Makes the function that asks; it reads standard input from the first question on. */
export function createAsk(): (question: string, options?: { hidden?: boolean }) => Promise<string> {
  let hidden = false
  const shown = new Writable({
    write(chunk, _, done) {
      if (!hidden) process.stderr.write(chunk)
      done()
    },
  })
  let lines: AsyncIterator<string> | undefined
  return async (question, options = {}) => {
    lines ??= linesOf(createInterface({ input: process.stdin, output: shown, terminal: process.stdin.isTTY === true }))
    process.stderr.write(question)
    hidden = options.hidden === true
    const { value, done } = await lines.next()
    if (hidden) process.stderr.write('\n') // the reader's own was not shown
    hidden = false
    return done === true ? '' : value
  }
}

const linesOf = (lines: Interface) => lines[Symbol.asyncIterator]()
