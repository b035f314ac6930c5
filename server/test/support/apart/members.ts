/** A service split into three processes: one that answers requests, and two workers. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LogLine } from '../log.ts'

/** What a process can be told to do. `report` does nothing: its answer means that all earlier log lines have arrived. */
export type Order = 'drain' | 'report' | 'stop'

/** What a process sends: its port, that an order is done, or a line of its log. */
export type MemberMessage = { port: number } | { done: number; problem: string | undefined } | { line: LogLine }

/** The processes of one service. */
export type Members = {
  url: string
  /** Both workers do what is due, at the same time. */
  drain(): Promise<void>
  /** Resolves when every line that was logged so far has arrived. */
  report(): Promise<void>
  /** Kills the processes; if `orderly`, after a graceful shutdown, which needs their database. */
  stop(orderly: boolean): Promise<void>
}

type Member = { tell(order: Order): Promise<void>; port: number; child: ChildProcess }

const ENTRY = fileURLToPath(new URL('./member.ts', import.meta.url))

/** Starts the processes with this environment; `hear` gets what they log. */
export async function startMembers(env: Record<string, string>, hear: (line: LogLine) => void): Promise<Members> {
  const start = (role: string) => startMember({ ...env, ROLE: role }, hear)
  const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')])
  const all = [api, ...workers]
  const tellAll = async (order: Order) => void (await Promise.all(all.map((member) => member.tell(order))))
  return {
    url: `http://127.0.0.1:${api.port}`,
    async drain() {
      await Promise.all([api.tell('report'), ...workers.map((worker) => worker.tell('drain'))])
    },
    report: () => tellAll('report'),
    async stop(orderly) {
      if (orderly) await tellAll('stop')
      for (const { child } of all) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
    },
  }
}

async function startMember(env: Record<string, string>, hear: (line: LogLine) => void): Promise<Member> {
  const child = fork(ENTRY, [], {
    env: { PATH: process.env.PATH, ...env },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const listening = Promise.withResolvers<number>()
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  const fail = (error: Error) => {
    for (const { reject } of [listening, ...waiting.values()]) reject(error)
  }
  child.on('message', (message: MemberMessage) => {
    if ('line' in message) return hear(message.line)
    if ('port' in message) return listening.resolve(message.port)
    const order = waiting.get(message.done)
    waiting.delete(message.done)
    if (message.problem === undefined) order?.resolve()
    else order?.reject(new Error(message.problem))
  })
  child.once('exit', (code) => fail(new Error(`the process of role ${env.ROLE} ended with ${code}`)))
  let orders = 0
  return {
    child,
    port: await listening.promise,
    tell(order) {
      orders += 1
      const done = Promise.withResolvers<void>()
      waiting.set(orders, done)
      child.send({ order, number: orders })
      return done.promise
    },
  }
}
