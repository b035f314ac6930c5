/**
 * The tables of the service, for typed queries. Empty here: each slice adds its own tables by declaration
 * merging in its `tables.ts`, so that a table's type stands with its owner.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the slices' declarations
export interface Tables {}
