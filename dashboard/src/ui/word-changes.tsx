/** A run of words of two texts: in both, only in the newer, or only in the older one. */
export type WordChange = { change: 'same' | 'added' | 'removed'; text: string }

/** The words of two texts: what went is struck out, what came is underlined. */
export function WordChanges({ words }: { words: readonly WordChange[] }) {
  return words.map(({ change, text }, index) => {
    const key = `${index} ${text.length}`
    if (change === 'added')
      return (
        <ins key={key} className="bg-arrived-wash decoration-2 underline-offset-3">
          {text}
        </ins>
      )
    if (change === 'removed')
      return (
        <del key={key} className="bg-failed-wash">
          {text}
        </del>
      )
    return <span key={key}>{text}</span>
  })
}
