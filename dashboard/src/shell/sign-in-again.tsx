import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { api, sentence } from '../api.ts'
import { accountQuery, queryClient } from '../queries.ts'
import { sessionBegan, useSessionEnded } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'

/** Asks for the password again over the page as it is, so that nothing on it is lost. */
export function SignInAgain() {
  const ended = useSessionEnded()
  const { user } = useSuspenseQuery(accountQuery).data
  const signIn = useMutation({
    mutationFn: (password: string) => api.auth.signIn({ email: user.email, password }),
    onSuccess: async () => {
      sessionBegan()
      await queryClient.invalidateQueries()
    },
  })
  return (
    <Dialog
      open={ended}
      onOpenChange={() => {}}
      firm
      title="Your session has ended"
      description="Sign in again to go on. What you have written is still here."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.mutate(textOf(new FormData(event.currentTarget), 'password'))
        }}
      >
        {/* For password managers. */}
        <input type="email" name="email" autoComplete="username" value={user.email} readOnly hidden />
        <Field label={`Password of ${user.email}`} required>
          <Input type="password" name="password" autoComplete="current-password" />
        </Field>
        {signIn.isError && <Notice tone="failed">{sentence(signIn.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button kind="quiet" onClick={() => location.assign('/sign-in')}>
            Leave
          </Button>
          <Button kind="primary" type="submit" busy={signIn.isPending}>
            Sign in
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
