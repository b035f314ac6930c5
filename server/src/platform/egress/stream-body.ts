import type { BodySink } from './exchange.ts'
import { EgressError, toFailure } from './failure.ts'

type Ends = { onStart: (status: number, headers: Record<string, string>) => void; onCancel: () => void }

/**
 * A body to read from, and the sink that fills it. Chunks are buffered until they are read; the exchange's limit bounds the
 * buffer. `onCancel` is called when the reader gives up before the end.
 */
export function streamBody({ onStart, onCancel }: Ends): {
  body: ReadableStream<Uint8Array<ArrayBuffer>>
  sink: BodySink
} {
  let open = true
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(given) {
      controller = given
    },
    cancel() {
      open = false
      onCancel()
    },
  })
  const sink: BodySink = {
    start: onStart,
    data(chunk) {
      // A copy: the buffer belongs to the socket, and a consumer may want to transfer it.
      if (open) controller?.enqueue(Uint8Array.from(chunk))
    },
    end(error) {
      if (!open) return
      open = false
      if (error === undefined) return controller?.close()
      const { cause, detail } = toFailure(error)
      controller?.error(new EgressError(cause, detail))
    },
  }
  return { body, sink }
}
