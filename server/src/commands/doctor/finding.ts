/** What a check found. The text of a bad one says what to do. `unknown`: could not, or need not, be checked. */
export type Finding = { what: string; state: 'good' | 'bad' | 'unknown'; text: string }
