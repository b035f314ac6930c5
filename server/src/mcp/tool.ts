/** What a tool is: what an agent is told of it, the endpoints that it calls, and what it does with them. */
import type { z } from 'zod'
import type { Answer, Given } from '../platform/http/invoke.ts'

/** Has one of the endpoints that a tool names answer a request of the token, and returns the body as the client library types it. */
export type Call = <Body>(name: string, given?: Given) => Promise<{ body: Body; etag: Answer['etag'] }>

/** A tool as the server sees it: its input has been checked against its schema. */
export type Tool = {
  name: string
  title: string
  /** For the agent: what it does, and when to use it. */
  description: string
  /** The endpoints that it calls, by name. It is offered to tokens that may use all of them. */
  uses: readonly string[]
  /** Whether it changes nothing. */
  readOnly: boolean
  input: z.ZodObject
  /** Throws what an endpoint refuses. */
  run(call: Call, input: Record<string, unknown>): Promise<object>
}

/** Declares a tool; what it receives is typed by its schema. */
export function tool<Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(call: Call, input: z.output<Input>): Promise<object>
  },
): Tool {
  // The list holds tools of every input; the server gives each what its own schema parsed.
  return definition as unknown as Tool
}

/** The beginning of a text, in at most so many bytes of UTF-8. */
export function shortened(text: string, mostBytes: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= mostBytes) return text
  // A character that was cut in two is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, mostBytes), { stream: true })}…`
}
