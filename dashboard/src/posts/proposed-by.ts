/** Who proposes something, at the beginning of a sentence. `by`: the name of a token. */
export function proposedBy(by: string | null): string {
  return by === null ? 'Somebody' : `“${by}”`
}
