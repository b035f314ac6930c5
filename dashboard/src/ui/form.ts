import type { SubmitEvent } from 'react'

/** How long a password may be, as the service has it. */
export const PASSWORD_LENGTHS = { minLength: 8, maxLength: 256 } as const

/** What to know before one makes up a password. */
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTHS.minLength} characters. A few words are easier to remember.`

/** Sends a form by a function of ours instead of the browser. */
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
