/** The result of a check. A bad one's text says what to do. `unknown`: it could not, or need not, be checked. */
export type Finding = { what: string; state: 'good' | 'bad' | 'unknown'; text: string }

/** Makes the findings about one thing. */
export function about(what: string) {
  const finding = (state: Finding['state']) => (text: string) => ({ what, state, text })
  return { good: finding('good'), bad: finding('bad'), unknown: finding('unknown') }
}
