import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export type Received = { headers: IncomingHttpHeaders; body: string; json: Record<string, unknown> }

/** How to answer one request: a status, or anything by hand. */
export type Answer = number | ((request: IncomingMessage, response: ServerResponse) => void)

/** An answer that waits until `finish` is called. */
export function heldAnswer(status = 200): { answer: Answer; finish: () => void } {
  const { promise: mayAnswer, resolve: finish } = Promise.withResolvers<void>()
  return { answer: (_, response) => void mayAnswer.then(() => response.writeHead(status).end()), finish }
}

/** A real receiving site. */
export type Receiver = {
  url: string
  received: Received[]
  /** Answers for the next requests, in order; 200 once they are used up. */
  answerNext(...answers: Answer[]): void
  /** How it answers from now on what nothing else is set for; at first 200. */
  answerUsually(answer: Answer): void
  /** Forgets the answers for the next requests. */
  forgetAnswers(): void
  close(): Promise<void>
}

/** Starts a receiver on a port of its own. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: Answer[] = []
  let usual: Answer = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    received.push({ headers: request.headers, body, json: JSON.parse(body) })
    const answer = answers.shift() ?? usual
    if (typeof answer === 'function') answer(request, response)
    else response.writeHead(answer).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    answerNext: (...next) => void answers.push(...next),
    answerUsually(answer) {
      usual = answer
    },
    forgetAnswers: () => void answers.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
