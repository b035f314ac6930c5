import type { Agenda } from './agenda.ts'

/** What can strike a process at a statement or an attempt. */
export type Strike = 'crash before' | 'crash after' | 'loss before' | 'loss after'

/** How often each strikes, per database statement or attempt. */
export type Strikes = { crash: number; loss: number }

/**
 * A process of the service. Everything it waits for reaches it through `deliver`: a dead process is never woken again, and
 * a stopped one (SIGSTOP) finds everything waiting for it when it goes on.
 */
export class Process {
  readonly name: string
  /** By how much the clock of its machine is wrong, in milliseconds. */
  readonly skewMs: number
  readonly startedAt: number
  diedAt: number | undefined
  /** Whether it shut down in order. */
  left = false
  /** When it has been stopped, and until when. */
  readonly stops: Array<{ from: number; to: number }> = []
  /** When it could not reach the database, until when it may have started attempts all the same, and when it could again. */
  readonly cutOffs: Array<{ from: number; heard: number; to: number }> = []
  readonly #agenda: Agenda
  readonly #random: () => number
  readonly #strikes: () => Strikes
  readonly #onDeath: (process: Process) => void
  #inbox: Array<() => void> | undefined

  constructor(
    name: string,
    parts: {
      agenda: Agenda
      skewMs: number
      random: () => number
      strikes: () => Strikes
      onDeath: (process: Process) => void
    },
  ) {
    this.name = name
    this.skewMs = parts.skewMs
    this.#agenda = parts.agenda
    this.#random = parts.random
    this.#strikes = parts.strikes
    this.#onDeath = parts.onDeath
    this.startedAt = parts.agenda.now
  }

  get alive(): boolean {
    return this.diedAt === undefined
  }

  /** Whether it is stopped now. */
  get stopped(): boolean {
    return this.#inbox !== undefined
  }

  /** How long its statements wait before they travel, in milliseconds. */
  get delayMs(): number {
    return Math.max(0, ...this.cutOffs.map(({ to }) => to - this.#agenda.now))
  }

  /** A random number of this process's own stream, so that its fate does not depend on what other processes do. */
  chance(): number {
    return this.#random()
  }

  deliver(wake: () => void): void {
    if (!this.alive) return
    if (this.#inbox === undefined) wake()
    else this.#inbox.push(wake)
  }

  stopFor(ms: number): void {
    if (!this.alive || this.#inbox !== undefined) return
    this.#inbox = []
    this.stops.push({ from: this.#agenda.now, to: this.#agenda.now + ms })
    this.#agenda.after(ms, () => {
      const waiting = this.#inbox ?? []
      this.#inbox = undefined
      for (const wake of waiting) this.deliver(wake)
    })
  }

  /** Dies at once. */
  crash(): void {
    if (!this.alive) return
    this.diedAt = this.#agenda.now
    this.#onDeath(this)
  }

  /** Ends in order, with nothing left to do. */
  leave(): void {
    this.left = true
    this.crash()
  }

  /** What strikes at this point, if anything. Commits are struck three times as often: a lost commit is the interesting case. */
  strikeAt(isCommit: boolean): Strike | undefined {
    const { crash, loss } = this.#strikes()
    if (crash + loss === 0) return undefined
    const weight = isCommit ? 3 : 1
    const drawn = this.chance() / weight
    if (drawn < crash) return this.chance() < 0.5 ? 'crash before' : 'crash after'
    if (drawn < crash + loss) return this.chance() < 0.5 ? 'loss before' : 'loss after'
    return undefined
  }
}
