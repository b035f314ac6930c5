/** The result of a check. A bad one's text says what to do. `unknown`: it could not, or need not, be checked. */
export type Finding = { what: string; state: 'good' | 'bad' | 'unknown'; text: string }
