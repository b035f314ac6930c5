/** Where links in mails lead, and how to ask for one. */
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, problemOf, sentence } from '../api.ts'
import { Gate } from '../shell/gate.tsx'
import { Button, buttonLook } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { PASSWORD_HINT, PASSWORD_LENGTHS, submitWith, textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'

const toSignIn = (
  <Link to="/sign-in" className="font-[550] text-ink underline underline-offset-3">
    Back to signing in
  </Link>
)

/** Asks for a link to a new password. */
export function ForgotPassword() {
  const ask = useMutation({ mutationFn: (form: FormData) => api.auth.forgotPassword(textOf(form, 'email')) })
  return (
    <Gate title="Forgotten your password?" switchTo={toSignIn}>
      {ask.isSuccess ? (
        <Notice tone="arrived" title="Look into your mail">
          If there is an account with this address, a link is on its way. It works once, within an hour.
        </Notice>
      ) : (
        <form className="grid gap-4" onSubmit={submitWith(ask.mutate)}>
          <Field label="E-mail" required hint="We will send you a link to choose a new password.">
            <Input type="email" name="email" autoComplete="username" autoFocus />
          </Field>
          {ask.isError && <Notice tone="failed">{sentence(ask.error)}</Notice>}
          <Button kind="primary" type="submit" busy={ask.isPending}>
            Send me a link
          </Button>
        </form>
      )}
    </Gate>
  )
}

/** Chooses a new password with the link. */
export function ResetPassword() {
  const { token } = useSearch({ from: '/reset-password' })
  const choose = useMutation({
    mutationFn: (form: FormData) => api.auth.resetPassword({ token, password: textOf(form, 'password') }),
  })
  const problem = problemOf(choose.error, 'password')
  return (
    <Gate title="Choose a new password" switchTo={toSignIn}>
      {choose.isSuccess ? (
        <Done text="Your password is changed. Every browser and program has been signed out." />
      ) : (
        <form className="grid gap-4" onSubmit={submitWith(choose.mutate)}>
          <Field label="New password" required hint={PASSWORD_HINT} error={problem}>
            <Input type="password" name="password" autoComplete="new-password" autoFocus {...PASSWORD_LENGTHS} />
          </Field>
          {choose.isError && problem === undefined && (
            <Notice tone="failed">
              {sentence(choose.error)}{' '}
              <Link to="/forgot-password" className="underline underline-offset-3">
                Ask for a new link
              </Link>
            </Notice>
          )}
          <Button kind="primary" type="submit" busy={choose.isPending}>
            Change password
          </Button>
        </form>
      )}
    </Gate>
  )
}

/** Accepts messages at an address. Following the link is not enough: programs that look at mails follow links too. */
export function VerifyAddress() {
  const { token } = useSearch({ from: '/verify-address' })
  const accept = useMutation({ mutationFn: () => api.notifications.verify(token) })
  return (
    <Gate title="Messages from Postrider" switchTo={toSignIn}>
      {accept.isSuccess ? (
        <Done text="This address gets messages from now on." />
      ) : (
        <div className="grid gap-4">
          <p className="text-quiet">
            You will be told when one of the sites stops accepting posts, and when it is fine again. The account that
            entered this address can change that at any time.
          </p>
          {accept.isError && <Notice tone="failed">{sentence(accept.error)}</Notice>}
          <Button kind="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
            Yes, send me messages
          </Button>
        </div>
      )}
    </Gate>
  )
}

function Done({ text }: { text: ReactNode }) {
  return (
    <div className="grid gap-4">
      <Notice tone="arrived">{text}</Notice>
      <Link to="/sign-in" className={buttonLook({ kind: 'primary' })}>
        Sign in
      </Link>
    </div>
  )
}
