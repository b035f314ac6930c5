/** A real HTTP server that speaks the protocols of model providers. A script decides its answers. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, type Habits, type Understood, understand } from './author.ts'

/** A question as it arrived. `answered`: its answer was sent whole. */
export type Asked = Understood & {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
  answered: boolean
}

/** How to answer a question: with a text, with a refusal, or by hand. */
export type Reaction =
  | string
  | { status: number; body: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse, write: Write) => void)

/** Writes a part of an answer as an event of the protocol; `end` is what follows the last part. */
export type Write = { start(): void; text(part: string): void; end(reason?: 'stop' | 'length' | 'filter'): void }

/** Decides about the question with this number, counted from 0; undefined: answer it as the author would. */
export type Script = (asked: Asked, index: number) => Reaction | undefined | Promise<Reaction | undefined>

export type ModelServer = {
  /** For AI_BASE_URL. */
  baseUrl: string
  asked: Asked[]
  /** Replaces the script. */
  follow(script: Script): void
  close(): Promise<void>
}

type Protocol = 'openai' | 'anthropic'

/** Starts a server on a port of its own. */
export async function startModelServer({
  protocol = 'openai',
  script = () => undefined,
  habits = {},
}: {
  protocol?: Protocol
  script?: Script
  habits?: Habits
} = {}): Promise<ModelServer> {
  const asked: Asked[] = []
  let current = script
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const path = request.url ?? ''
    const question: Asked = { ...understand(promptOf(body)), path, headers: request.headers, body, answered: false }
    asked.push(question)
    const reaction = (await current(question, asked.length - 1)) ?? answer(question, habits)
    const write = protocol === 'anthropic' ? anthropic(response, body) : openai(response, body)
    if (typeof reaction === 'function') return reaction(response, write)
    if (typeof reaction === 'object') {
      response.writeHead(reaction.status, { 'content-type': 'application/json', ...reaction.headers })
      return response.end(typeof reaction.body === 'string' ? reaction.body : JSON.stringify(reaction.body))
    }
    write.start()
    for (let at = 0; at < reaction.length; at += 400) write.text(reaction.slice(at, at + 400))
    response.once('finish', () => {
      question.answered = true
    })
    write.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    follow(next) {
      current = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The user's messages in a request of either protocol. */
function promptOf(body: Record<string, unknown>): string {
  const messages = body.messages as Array<{ role: string; content: string | Array<{ text?: string }> }>
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => (typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')))
    .join('\n')
}

const STREAM = { 'content-type': 'text/event-stream' }

/** Chat completions, streamed. */
function openai(response: ServerResponse, body: Record<string, unknown>): Write {
  let length = 0
  const send = (event: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'answer', object: 'chat.completion.chunk', created: 1, model: body.model, ...event })}\n\n`,
    )
  return {
    start() {
      response.writeHead(200, STREAM)
      send({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] })
    },
    text(part) {
      length += part.length
      send({ choices: [{ index: 0, delta: { content: part }, finish_reason: null }] })
    },
    end(reason = 'stop') {
      const finish = reason === 'filter' ? 'content_filter' : reason
      send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
      const input = Math.ceil(JSON.stringify(body.messages).length / 4)
      if (body.stream_options !== undefined)
        send({
          choices: [],
          usage: { prompt_tokens: input, completion_tokens: Math.ceil(length / 4), total_tokens: 0 },
        })
      response.end('data: [DONE]\n\n')
    },
  }
}

/** Messages, streamed; a schema that is requested as a tool is answered as a call of that tool. */
function anthropic(response: ServerResponse, body: Record<string, unknown>): Write {
  let length = 0
  const asTool = body.tool_choice !== undefined
  const send = (type: string, event: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`)
  return {
    start() {
      response.writeHead(200, STREAM)
      const usage = { input_tokens: Math.ceil(JSON.stringify(body.messages).length / 4), output_tokens: 1 }
      const message = {
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: body.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      }
      send('message_start', { message })
      const block = asTool ? { type: 'tool_use', id: 'tool', name: 'json', input: {} } : { type: 'text', text: '' }
      send('content_block_start', { index: 0, content_block: block })
    },
    text(part) {
      length += part.length
      const delta = asTool ? { type: 'input_json_delta', partial_json: part } : { type: 'text_delta', text: part }
      send('content_block_delta', { index: 0, delta })
    },
    end(reason = 'stop') {
      const stop = asTool ? 'tool_use' : { stop: 'end_turn', length: 'max_tokens', filter: 'refusal' }[reason]
      send('content_block_stop', { index: 0 })
      send('message_delta', {
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: Math.ceil(length / 4) },
      })
      send('message_stop', {})
      response.end()
    },
  }
}
