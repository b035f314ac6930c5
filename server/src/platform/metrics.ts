/** What the service counts and measures, for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** In seconds, from the time of a loopback call to the longest deadline. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]

/** The metrics of one process. Asking for a name again gives the same metric. */
export class Metrics {
  readonly #registry = new Registry()

  /** Counts events, by labels. */
  counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    const known = this.#registry.getSingleMetric(name)
    if (known instanceof Counter) return known
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  /** Observes durations in seconds, by labels. */
  durations<Label extends string>(name: string, help: string, labelNames: Label[]): Histogram<Label> {
    const known = this.#registry.getSingleMetric(name)
    if (known instanceof Histogram) return known
    return new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: [this.#registry] })
  }

  /** Gauges whose values are read at each scrape, all by one call of `read`. A gauge without a value is left out. */
  gauges<Name extends string>(helps: Record<Name, string>, read: () => Promise<Partial<Record<Name, number>>>): void {
    let reading: Promise<Partial<Record<Name, number>>> | undefined
    for (const name of Object.keys(helps) as Name[]) // the keys of the record
      new Gauge({
        name,
        help: helps[name],
        registers: [this.#registry],
        async collect() {
          reading ??= read().finally(() => {
            reading = undefined
          })
          const value = (await reading)[name]
          if (value === undefined) this.remove()
          else this.set(value)
        },
      })
  }

  /** Adds Node's own process metrics: memory, CPU time, event loop lag. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.#registry })
  }

  /** The text that Prometheus reads, and its content type. */
  async expose(): Promise<{ text: string; contentType: string }> {
    return { text: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }
}
