/**
 * An array parameter as PostgreSQL's text form, for values that never need quoting there: ids, numbers, booleans, times.
 * The driver's own conversion looks at every character of every value, which is much of the cost of a large batch.
 */
export function plainArray(values: ReadonlyArray<string | number | boolean | Date | null>): string {
  return `{${values.map(plain).join(',')}}`
}

function plain(value: string | number | boolean | Date | null): string {
  if (value === null) return 'null'
  if (value instanceof Date) return value.toISOString()
  return String(value)
}
