/**
 * Asks for the password when the session has ended, over the unchanged page, so that nothing on it is lost. Somebody who is
 * typing is not interrupted: a notice waits until they choose to sign in, or until the focus is outside any text and no key has
 * been pressed for a while. So keys meant for a text never get into the password.
 */
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api, sentence } from '../api.ts'
import { accountQuery, queryClient } from '../queries.ts'
import { sessionBegan, useSessionEnded } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { rememberFocus } from '../ui/focus.ts'
import { textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'
import { isTyping, useAction } from './actions.ts'

/** Nothing, a notice or the dialog. */
export function SignInAgain() {
  return useSessionEnded() ? <Ended /> : null
}

/** Somebody who pressed a key within this time is still typing. */
const PAUSE_MS = 1_500

function Ended() {
  const [stage, setStage] = useState<'looking' | 'waiting' | 'asking'>('looking')
  const asking = stage === 'asking'
  const goOn = useRef<() => void>(undefined)
  useEffect(() => {
    if (asking) return
    let lastKeyAt = Number.NEGATIVE_INFINITY
    const look = () => {
      const isText = isTyping(document.activeElement)
      if (isText) goOn.current = rememberFocus()
      setStage(isText || performance.now() - lastKeyAt < PAUSE_MS ? 'waiting' : 'asking')
    }
    const press = () => {
      lastKeyAt = performance.now()
    }
    // Wait a moment first: a key may already be on its way.
    const first = setTimeout(look, PAUSE_MS / 5)
    const timer = setInterval(look, PAUSE_MS / 3)
    addEventListener('keydown', press, true)
    return () => {
      clearTimeout(first)
      clearInterval(timer)
      removeEventListener('keydown', press, true)
    }
  }, [asking])
  if (asking) return <Ask goOn={() => goOn.current?.()} />
  return stage === 'waiting' && <Wait onAsk={() => setStage('asking')} />
}

/** The notice, over the unchanged page. */
function Wait({ onAsk }: { onAsk: () => void }) {
  useAction({ does: 'Sign in again', group: 'Anywhere' }, onAsk)
  return (
    <div className="pointer-events-none fixed inset-x-0 bottom-16 z-50 flex justify-center p-4 lg:bottom-0">
      <div className="pointer-events-auto w-full max-w-dialog animate-rise rounded-md shadow-float" role="status">
        <Notice
          tone="trying"
          title="Your session has ended"
          action={
            <Button size="sm" icon={<LogIn />} onClick={onAsk}>
              Sign in
            </Button>
          }
        >
          What you write is kept in this browser until you sign in again.
        </Notice>
      </div>
    </div>
  )
}

/** The dialog. `goOn` returns the focus to the text that had it. */
function Ask({ goOn }: { goOn: () => void }) {
  const { user } = useSuspenseQuery(accountQuery).data
  const signIn = useMutation({
    mutationFn: (password: string) => api.auth.signIn({ email: user.email, password }),
    onSuccess: async () => {
      sessionBegan(user.id)
      // After the dialog has returned the focus to the notice that opened it.
      requestAnimationFrame(goOn)
      await queryClient.invalidateQueries()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={() => {}}
      firm
      title="Your session has ended"
      description="Sign in again to continue. What you have written is still here."
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
        <Field label={`Password for ${user.email}`} required>
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
