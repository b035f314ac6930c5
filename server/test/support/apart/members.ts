/**
 * A service split into three processes: one that answers requests, and two workers. A process whose service has stopped takes part in the
 * file's next one, because starting a process takes longer than most tests.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Overrides } from '../../../src/app.ts'
import type { LogLine } from '../log.ts'

/** A process's part in a service: its environment, the file of the clock that they share, and what else the test replaces. */
export type Part = {
  env: Record<string, string>
  clockFile: string
  overrides: Pick<Overrides, 'dashboardDirectory'>
}

/** What a process can be told to do. `report` does nothing: its answer means that all earlier log lines have arrived. */
export type Order = 'drain' | 'report' | 'stop'

/** What a process is sent: to take part in a service, or an order. */
export type ToMember = { part: Part } | { order: Order; number: number }

/** What a process sends: its port, that an order is done, or a line of its log. */
export type FromMember = { port: number } | { done: number; problem: string | undefined } | { line: LogLine }

/** The processes of one service. */
export type Members = {
  url: string
  /** Both workers do what is due, at the same time. */
  drain(): Promise<void>
  /** Resolves when every line that was logged so far has arrived. */
  report(): Promise<void>
  /** Shuts the service down; unless `orderly`, which needs its database, by killing the processes. */
  stop(orderly: boolean): Promise<void>
}

type Member = {
  /** Resolves with the port. */
  takePart(part: Part, hear: (line: LogLine) => void): Promise<number>
  tell(order: Order): Promise<void>
  kill(): Promise<void>
}

const ENTRY = fileURLToPath(new URL('./member.ts', import.meta.url))
const ROLES = ['api', 'worker', 'worker']

/** Processes that take part in no service now. */
const idle: Member[] = []

/** Starts a service; `hear` gets what its processes log, and their compiled code is kept in `cacheDir`. */
export async function startMembers(part: Part, cacheDir: string, hear: (line: LogLine) => void): Promise<Members> {
  const all = ROLES.map((role) => ({ role, member: idle.pop() ?? forkMember(cacheDir) }))
  const [port] = await Promise.all(
    all.map(({ role, member }) => member.takePart({ ...part, env: { ...part.env, ROLE: role } }, hear)),
  )
  const tell = (order: Order, wanted: readonly string[]) =>
    Promise.all(all.map(({ role, member }) => member.tell(wanted.includes(role) ? order : 'report')))
  return {
    url: `http://127.0.0.1:${port}`,
    drain: async () => void (await tell('drain', ['worker'])),
    report: async () => void (await tell('report', ROLES)),
    async stop(orderly) {
      const members = all.map(({ member }) => member)
      if (!orderly) return void (await Promise.all(members.map((member) => member.kill())))
      await tell('stop', ROLES)
      idle.push(...members)
    },
  }
}

/** Kills the processes that take part in no service; each file does so when it ends. */
export async function endMembers(): Promise<void> {
  await Promise.all(idle.splice(0).map((member) => member.kill()))
}

function forkMember(cacheDir: string): Member {
  const child = fork(ENTRY, [], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cacheDir },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const send = (message: ToMember) => void child.send(message)
  const gone = once(child, 'exit')
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  let listening = Promise.withResolvers<number>()
  let hear: (line: LogLine) => void = () => {}
  let orders = 0
  child.on('message', (message: FromMember) => {
    if ('line' in message) return hear(message.line)
    if ('port' in message) return listening.resolve(message.port)
    const order = waiting.get(message.done)
    waiting.delete(message.done)
    if (message.problem === undefined) order?.resolve()
    else order?.reject(new Error(message.problem))
  })
  child.once('exit', (code) => {
    for (const { reject } of [listening, ...waiting.values()]) reject(new Error(`a process ended with ${code}`))
  })
  return {
    takePart(part, listener) {
      listening = Promise.withResolvers()
      hear = listener
      send({ part })
      return listening.promise
    },
    tell(order) {
      orders += 1
      const done = Promise.withResolvers<void>()
      waiting.set(orders, done)
      send({ order, number: orders })
      return done.promise
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
