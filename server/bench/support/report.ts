/** Results for people: a page of Markdown per bench, with what it ran on. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem, type } from 'node:os'

const RESULTS = new URL('../results/', import.meta.url)

/** The median of the values; of an even number of them, the middle between the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [below = Number.NaN, above = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (below + above) / 2
}

/** The share a side has of another, each round's own, as their median: the machine's speed changes from round to round. */
export function medianShare(values: readonly number[], ofValues: readonly number[]): number {
  return median(values.map((value, round) => value / (ofValues[round] ?? Number.NaN)))
}

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A Markdown table; figures with thousands separators. */
export function table(head: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const figure = (cell: string | number) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : cell)
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(figure)))].join('\n')
}

/** Prints the page and writes it to results/NAME.md. */
export async function report(name: string, command: string, sections: readonly string[]): Promise<void> {
  const page = `${[`# ${name}`, machine(command), ...sections].join('\n\n')}\n`
  process.stdout.write(`\n${page}`)
  await mkdir(RESULTS, { recursive: true })
  await writeFile(new URL(`${name}.md`, RESULTS), page)
}

function machine(command: string): string {
  const [cpu] = cpus()
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return [
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${commit}.`,
    `${cpus().length} × ${cpu?.model.trim()}, ${memory}, ${type()} ${release()}, Node ${process.version}.`,
  ].join('\n')
}
