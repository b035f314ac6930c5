/** Questions at a terminal. The answers may also come line by line through a pipe. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './command.ts'

/** Makes the function that asks; it reads standard input from the first question on. Throws CommandError when there is no answer. */
export function createAsk(): (question: string, options?: { hidden?: boolean }) => Promise<string> {
  let isHidden = false
  const shown = new Writable({
    write(chunk, _, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  let asking: { prompt: Interface; lines: AsyncIterator<string> } | undefined
  return async (question, { hidden = false } = {}) => {
    asking ??= opened(shown)
    asking.prompt.setPrompt(question)
    asking.prompt.prompt()
    isHidden = hidden
    const { value, done } = await asking.lines.next()
    if (isHidden) process.stderr.write('\n') // the reader's own was not shown
    isHidden = false
    if (done === true) throw new CommandError('Nothing was answered, and nothing was done.')
    return value
  }
}

function opened(output: Writable) {
  const prompt = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true })
  return { prompt, lines: prompt[Symbol.asyncIterator]() }
}
