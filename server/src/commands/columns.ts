import { printable } from '../platform/printable.ts'
import type { Invocation } from './command.ts'

/** Rows as lines, with the cells of a column below each other. */
export function inColumns(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(printable))
  const widths: number[] = []
  for (const row of shown)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Prints things for programs with `--json`, and otherwise as rows below a heading. */
export function printList<Thing>(
  { options, terminal }: Pick<Invocation, 'options' | 'terminal'>,
  things: readonly Thing[],
  heading: readonly string[],
  rowOf: (thing: Thing) => string[],
): void {
  if (options.json === true) terminal.print(JSON.stringify(things, null, 2))
  else for (const line of inColumns([heading, ...things.map(rowOf)])) terminal.print(line)
}
