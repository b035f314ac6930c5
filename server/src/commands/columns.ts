import { printable } from '../platform/printable.ts'

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
