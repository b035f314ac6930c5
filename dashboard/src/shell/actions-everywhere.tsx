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
  const newSite = () => void navigate({ to: '/sites/new' })
  const newDraft = () => void navigate({ to: '/posts/generate' })
  const toImport = () => void navigate({ to: '/import' })
  return (
    <>
      <Declare does="New post" group="Create" keys="c" alsoFoundBy="write" run={write} />
      <Declare does="New post" group="Create" keys="n" hidden run={write} />
      <Declare does="Draft from a topic" group="Create" alsoFoundBy="AI generate" run={newDraft} />
      <Declare does="Import posts" group="Create" alsoFoundBy="WordPress Ghost Markdown upload" run={toImport} />
      <Declare does="Export all posts" group="Create" alsoFoundBy="download backup zip" run={toImport} />
      <Declare does="Connect a site" group="Create" alsoFoundBy="add new blog webhook" run={newSite} />
      {PLACES.map(({ to, name }) => (
        <Declare key={to} does={name} group="Go to" run={() => void navigate({ to })} />
      ))}
      <Declare does="Change the password" group="Account" alsoFoundBy="security" run={toAccount} />
      <Declare does="Plan and limits" group="Account" alsoFoundBy="usage requests" run={toAccount} />
      <Declare does="Sign out" group="Account" alsoFoundBy="log out logout" run={() => void signOut()} />
      <Declare does="Sign out everywhere" group="Account" alsoFoundBy="sessions logout" run={toAccount} />
      {Object.entries(THEMES).map(([theme, does]) => (
        <Declare
          key={theme}
          does={does}
          group="Appearance"
          alsoFoundBy="theme mode"
          run={() => setTheme(theme as Theme)}
        />
      ))}
    </>
  )
}

/** One action. They are found in the order in which they stand. */
function Declare({ run, ...action }: Action & { run: () => void }) {
  useAction(action, run)
  return null
}
