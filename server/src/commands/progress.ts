import type { BackupTable } from '../platform/backup/format.ts'
import type { Terminal } from './command.ts'

/** Rows between two lines about the same table. */
const STEP = 100_000

/** Prints progress; call it with each number of rows done. It prints a line per table, and some more within a large table. */
export function createProgress(
  tables: readonly BackupTable[],
  terminal: Terminal,
): (table: string, rows: number) => void {
  const done = new Map<string, number>()
  return (table, rows) => {
    const before = done.get(table) ?? 0
    const now = before + rows
    done.set(table, now)
    const all = tables.find(({ name }) => name === table)?.rows ?? now
    if (now === all) terminal.note(`  ${table}: ${now.toLocaleString('en')}`)
    else if (Math.floor(now / STEP) > Math.floor(before / STEP))
      terminal.note(`  ${table}: ${now.toLocaleString('en')} of ${all.toLocaleString('en')}`)
  }
}
