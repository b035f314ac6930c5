import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, problemOf, sentence } from '../api.ts'
import { serviceQuery } from '../queries.ts'
import { Mark } from '../shell/mark.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { PASSWORD_HINT, PASSWORD_LENGTHS, submitWith, textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'
import { useTitle } from '../ui/title.ts'

const CLOSED = 'The operator of this service can create an account for you.'

/** Signing in, and where to sign up. */
export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' })
  const isClosed = useQuery(serviceQuery).data?.isRegistrationOpen === false
  const enter = useEntrance(next)
  const signIn = useMutation({
    mutationFn: (form: FormData) =>
      api.auth.signIn({ email: textOf(form, 'email'), password: textOf(form, 'password') }),
    onSuccess: enter,
  })
  return (
    <Gate
      title="Sign in"
      switchTo={
        <>
          No account yet?{' '}
          {isClosed ? (
            CLOSED
          ) : (
            <Link to="/sign-up" search={{ next }} className="font-[550] text-ink underline underline-offset-3">
              Create one
            </Link>
          )}
        </>
      }
    >
      <form className="grid gap-4" onSubmit={submitWith(signIn.mutate)}>
        <Field label="E-mail" required>
          <Input type="email" name="email" autoComplete="username" autoFocus />
        </Field>
        <Field label="Password" required hint="Forgotten? The operator of this service can give you a new one.">
          <Input type="password" name="password" autoComplete="current-password" />
        </Field>
        {signIn.isError && <Notice tone="failed">{sentence(signIn.error)}</Notice>}
        <Button kind="primary" type="submit" busy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </Gate>
  )
}

/** Creating an account, where that is open to all. */
export function SignUp() {
  const { next } = useSearch({ from: '/sign-up' })
  const isClosed = useQuery(serviceQuery).data?.isRegistrationOpen === false
  return (
    <Gate
      title="Create your account"
      switchTo={
        <>
          Already have one?{' '}
          <Link to="/sign-in" search={{ next }} className="font-[550] text-ink underline underline-offset-3">
            Sign in
          </Link>
        </>
      }
    >
      {isClosed ? <Notice title="Registration is closed">{CLOSED}</Notice> : <NewAccount next={next} />}
    </Gate>
  )
}

/** The form of a new account, which is signed in at once. */
function NewAccount({ next }: { next: string | undefined }) {
  const enter = useEntrance(next)
  const signUp = useMutation({
    mutationFn: (form: FormData) =>
      api.auth.signUp({
        name: textOf(form, 'name'),
        email: textOf(form, 'email'),
        password: textOf(form, 'password'),
      }),
    onSuccess: enter,
  })
  const problem = (field: string) => problemOf(signUp.error, field)
  const named = ['name', 'email', 'password'].some((field) => problem(field) !== undefined)
  return (
    <form className="grid gap-4" onSubmit={submitWith(signUp.mutate)}>
      <Field label="Name" required error={problem('name')}>
        <Input name="name" autoComplete="name" maxLength={120} autoFocus />
      </Field>
      <Field label="E-mail" required error={problem('email')}>
        <Input type="email" name="email" autoComplete="username" maxLength={254} />
      </Field>
      <Field label="Password" required error={problem('password')} hint={PASSWORD_HINT}>
        <Input type="password" name="password" autoComplete="new-password" {...PASSWORD_LENGTHS} />
      </Field>
      {signUp.isError && !named && <Notice tone="failed">{sentence(signUp.error)}</Notice>}
      <Button kind="primary" type="submit" busy={signUp.isPending}>
        Create account
      </Button>
    </form>
  )
}

/** Navigates to where the person wanted to go, if that is a path of this application. */
function useEntrance(next: string | undefined): () => void {
  const navigate = useNavigate()
  return () => void navigate({ href: next ?? '/', replace: true })
}

function Gate({ title, switchTo, children }: { title: string; switchTo: ReactNode; children: ReactNode }) {
  useTitle(title)
  return (
    <main className="grid min-h-dvh content-center justify-items-center px-4 py-10">
      <div className="w-full max-w-form">
        <div className="mb-7 flex items-center gap-3">
          <Mark className="size-10" />
          <div>
            <p className="text-lg leading-tight font-[680]">Postrider</p>
            <p className="text-quiet">Write once. It arrives everywhere.</p>
          </div>
        </div>
        <div className="rounded-lg bg-sheet px-5 py-6 shadow-sheet ring-1 ring-line sm:px-7">
          <h1 className="mb-5 text-xl font-[650]">{title}</h1>
          {children}
        </div>
        <p className="mt-5 text-center text-quiet">{switchTo}</p>
      </div>
    </main>
  )
}
