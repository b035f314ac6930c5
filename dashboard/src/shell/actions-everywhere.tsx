/** What can be done from every screen, by the palette or a key. */
import { useNavigate } from '@tanstack/react-router'
import { type Action, useAction } from './actions.ts'
import { PLACES } from './navigation.tsx'
import { signOut } from './sign-out.ts'
import { setTheme, type Theme } from './theme.ts'

const THEMES: Record<Theme, string> = { system: 'Match the system', light: 'Light', dark: 'Dark' }

/** Declares these actions for as long as it is shown. */
export function ActionsEverywhere() {
  const navigate = useNavigate()
  const write = () => void navigate({ to: '/posts/$postId', params: { postId: 'new' } })
  const toAccount = () => void navigate({ to: '/account' })
  useAction({ does: 'New post', group: 'Create', keys: 'c', alsoFoundBy: 'write' }, write)
  useAction({ does: 'New post', group: 'Create', keys: 'n', hidden: true }, write)
  useAction({ does: 'Draft from a topic', group: 'Create', alsoFoundBy: 'AI generate' }, () => {
    void navigate({ to: '/posts/generate' })
  })
  useAction({ does: 'Connect a site', group: 'Create', alsoFoundBy: 'add new blog webhook' }, () => {
    void navigate({ to: '/sites/new' })
  })
  useAction({ does: 'Change the password', group: 'Account', alsoFoundBy: 'security' }, toAccount)
  useAction({ does: 'Plan and limits', group: 'Account', alsoFoundBy: 'usage requests' }, toAccount)
  useAction({ does: 'Sign out', group: 'Account', alsoFoundBy: 'log out logout' }, () => void signOut())
  useAction({ does: 'Sign out everywhere', group: 'Account', alsoFoundBy: 'sessions logout' }, toAccount)
  const places = PLACES.map(({ to, name }) => (
    <Declare key={to} does={name} group="Go to" run={() => void navigate({ to })} />
  ))
  const themes = Object.entries(THEMES).map(([theme, does]) => (
    <Declare key={theme} does={does} group="Appearance" alsoFoundBy="theme mode" run={() => setTheme(theme as Theme)} />
  ))
  return [...places, ...themes]
}

function Declare({ run, ...action }: Action & { run: () => void }) {
  useAction(action, run)
  return null
}
