import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api, problemOf, sentence } from '../api.ts'
import { serviceQuery } from '../queries.ts'
import { Gate } from '../shell/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { PASSWORD_HINT, PASSWORD_LENGTHS, submitWith, textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'

const CLOSED = 'The operator of this service can create an account for you.'

/** Signing in, and where to sign up. */
export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' })
  const service = useQuery(serviceQuery).data
  const isClosed = service?.isRegistrationOpen === false
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
        <Field
          label="Password"
          required
          hint={
            service?.sendsMail === true ? (
              <Link to="/forgot-password" className="underline underline-offset-3">
                Forgotten your password?
              </Link>
            ) : (
              'Forgotten? The operator of this service can give you a new one.'
            )
          }
        >
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
