/**
 * The kinds of things whose changes are told. Empty here: each slice adds what it owns by declaration merging in its
 * `tables.ts`, as it does with its tables.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the slices' declarations
export interface ChangeKinds {}

export type ChangeKind = keyof ChangeKinds
