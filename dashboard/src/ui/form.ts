import type { SubmitEvent } from 'react'

/** The service's limits of a password's length. */
export const PASSWORD_LENGTHS = { minLength: 8, maxLength: 256 } as const

/** The hint for choosing a password. */
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTHS.minLength} characters. A few words are easier to remember.`

/** Submits a form with a function instead of the browser. */
export function submitWith(submit: (form: FormData) => void) {
  return (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    submit(new FormData(event.currentTarget))
  }
}

/** The text of a form's field; empty when there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
