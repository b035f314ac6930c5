/** One block of a stream. Without `data` it is a comment, or carries only the wait before reconnecting. */
export type ServerSentEvent = {
  event: string
  data: string | undefined
  retryMs: number | undefined
}

/** Reads server-sent events (HTML standard, section 9.2.6). `onRead` is called before each wait for more. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  onRead: () => void,
): AsyncGenerator<ServerSentEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let lines: string[] = []
  for (;;) {
    onRead()
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    // A carriage return at the end of a chunk may be the first half of CRLF: leave it until more text comes.
    for (let end = /\r\n|\n|\r(?!$)/.exec(text); end !== null; end = /\r\n|\n|\r(?!$)/.exec(text)) {
      const line = text.slice(0, end.index)
      text = text.slice(end.index + end[0].length)
      if (line !== '') lines.push(line)
      else {
        if (lines.length > 0) yield blockOf(lines)
        lines = []
      }
    }
  }
}

function blockOf(lines: readonly string[]): ServerSentEvent {
  const block: ServerSentEvent = { event: 'message', data: undefined, retryMs: undefined }
  for (const line of lines) {
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') block.event = value
    else if (field === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`
    else if (field === 'retry' && /^\d+$/.test(value)) block.retryMs = Number(value)
  }
  return block
}
