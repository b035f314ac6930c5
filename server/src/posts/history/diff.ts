/** What differs between two texts: blocks that came, went or changed, and in changed ones the words. */
import { diffArrays, diffWordsWithSpace } from 'diff'
import type { DocNode } from '../body/convert.ts'
import { docToText } from '../body/text.ts'

/** A run of words: in both texts, only in the newer one, or only in the older one. */
export type WordChange = { change: 'same' | 'added' | 'removed'; text: string }

/**
 * A block (paragraph, heading, list, …) with its text. One that has changed has its words; if they are all the same, its formatting or
 * its links have changed.
 */
export type BlockChange =
  | { change: 'same' | 'added' | 'removed'; type: string; text: string }
  | { change: 'changed'; type: string; words: WordChange[] }

/** Comparing takes the time of the texts' length times their differences, and nothing else happens meanwhile: what is left then is shown whole. */
const MOST_MS = 250
/** The share of a block's text that must have stayed for its words to be compared. */
const LEAST_COMMON = 0.25

/** The blocks of two documents, in the order in which a reader of both would meet them. */
export function diffDocuments(from: DocNode, to: DocNode): BlockChange[] {
  const until = performance.now() + MOST_MS
  const [older, newer] = [blocksOf(from), blocksOf(to)]
  const parts = diffArrays(older.map(keyOf), newer.map(keyOf), { timeout: MOST_MS })
  if (parts === undefined) return [...older.map(whole('removed')), ...newer.map(whole('added'))]
  const changes: BlockChange[] = []
  let [inOlder, inNewer] = [0, 0]
  for (const [index, { added, removed, count }] of parts.entries()) {
    if (added && parts[index - 1]?.removed) continue // taken with what they replace
    const next = parts[index + 1]
    const coming = removed ? (next?.added ? next.count : 0) : count
    const blocks = newer.slice(inNewer, inNewer + coming)
    if (removed) changes.push(...replaced(older.slice(inOlder, inOlder + count), blocks, until))
    else changes.push(...blocks.map(whole(added ? 'added' : 'same')))
    inNewer += coming
    if (!added) inOlder += count
  }
  return changes
}

/** Without paragraphs that are empty, as an empty text has one. */
const blocksOf = ({ content = [] }: DocNode) =>
  content.filter((block) => block.type !== 'paragraph' || block.content !== undefined)
const keyOf = (block: DocNode) => JSON.stringify(block)
const textOf = (block: DocNode) => docToText({ type: 'doc', content: [block] })
const whole =
  (change: 'same' | 'added' | 'removed') =>
  (block: DocNode): BlockChange => ({ change, type: block.type, text: textOf(block) })

/** Blocks in the place of others: the next one of the same type is taken for what a block has become. */
function replaced(older: readonly DocNode[], newer: readonly DocNode[], until: number): BlockChange[] {
  const changes: BlockChange[] = []
  let next = 0
  for (const block of older) {
    const at = newer.findIndex(({ type }, index) => index >= next && type === block.type)
    const match = newer[at]
    if (match === undefined) changes.push(whole('removed')(block))
    else {
      changes.push(...newer.slice(next, at).map(whole('added')), ...changed(block, match, until))
      next = at + 1
    }
  }
  return [...changes, ...newer.slice(next).map(whole('added'))]
}

/** A block and what it has become: its words, or two blocks if they have little in common or there is no time left. */
function changed(from: DocNode, to: DocNode, until: number): BlockChange[] {
  const [older, newer] = [textOf(from), textOf(to)]
  const timeout = until - performance.now()
  const runs = timeout > 0 ? diffWordsWithSpace(older, newer, { timeout }) : undefined
  const same = runs?.filter(({ added, removed }) => !added && !removed) ?? []
  const common = same.reduce((sum, { value }) => sum + value.trim().length, 0)
  if (runs === undefined || common < LEAST_COMMON * Math.max(older.length, newer.length))
    return [whole('removed')(from), whole('added')(to)]
  const words = runs.map(({ added, removed, value: text }) => {
    const change = added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const)
    return { change, text }
  })
  return [{ change: 'changed', type: to.type, words }]
}
