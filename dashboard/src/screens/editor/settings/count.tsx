import { number } from '../../../format.ts'

/** A counter of a text's length. `soft`: more is allowed, but will not be shown. */
export function Count({ text, most, soft = false }: { text: string; most: number; soft?: boolean }) {
  const length = [...text.trim()].length
  const over = length > most
  return (
    <span className={over && soft ? 'text-trying' : undefined}>
      {length} of {number(most)}
      {over && soft && ': the rest may be cut off'}
    </span>
  )
}
