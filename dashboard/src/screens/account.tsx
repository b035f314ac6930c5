/** The account: its owner, the plan and what is left of its limits, the password and signing out. */
import type { Account as AccountBody, Site } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, LogOut, ShieldOff } from 'lucide-react'
import { useRef, useState } from 'react'
import { api, problemOf, sentence } from '../api.ts'
import { number } from '../format.ts'
import { accountQuery, setUsualOriginal, sitesQuery } from '../queries.ts'
import { signOut } from '../shell/sign-out.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { PASSWORD_HINT, PASSWORD_LENGTHS, submitWith, textOf } from '../ui/form.ts'
import { Notice } from '../ui/notice.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { toast } from '../ui/toast.tsx'
import { Tokens } from './account/tokens.tsx'

const PLANS: Record<AccountBody['plan'], string> = { starter: 'Starter', pro: 'Pro', agency: 'Agency' }

/** The screen. */
export function Account() {
  const account = useQuery({ ...accountQuery, refetchOnMount: 'always' })
  const sites = useQuery(sitesQuery)
  const { data } = account
  if (account.isError && data === undefined)
    return <Problem alone error={account.error} retry={() => void account.refetch()} />
  if (data === undefined) return <Skeleton className="m-8 h-64" />
  return (
    <Page title="Account" narrow>
      <Sheet title="You">
        <dl className="grid gap-4 sm:grid-cols-2">
          <Fact name="Name" value={data.user.name} />
          <Fact name="E-mail" value={data.user.email} />
        </dl>
      </Sheet>
      <Sheet title="Plan" aside={<Badge>{PLANS[data.plan]}</Badge>}>
        <div className="grid gap-5">
          <Requests limit={data.limits.management} />
          <dl className="grid gap-4 sm:grid-cols-2">
            <Fact name="Connected sites" value={number(sites.data?.total)} />
            <Fact name="Drafts are written by" value={data.generation.model ?? 'No language model'} />
          </dl>
          {data.generation.model === null && (
            <Notice>
              Without a language model, a generated draft is an outline to write from. The operator of this service can
              set one up: see AI_MODEL in its configuration.
            </Notice>
          )}
        </div>
      </Sheet>
      {sites.data !== undefined && sites.data.total > 1 && (
        <Sheet title="New posts">
          <UsualOriginal account={data} sites={sites.data.sites} />
        </Sheet>
      )}
      <Sheet title="Password">
        <Password email={data.user.email} />
      </Sheet>
      <Sheet title="Programs">
        <Tokens />
      </Sheet>
      <Sheet title="Sessions">
        <Sessions />
      </Sheet>
      <p className="text-sm text-faint">
        Postrider is free software under the MIT licence.{' '}
        <a href="/licenses.txt" className="underline">
          What it is built on
        </a>
      </p>
    </Page>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex min-w-0 flex-col-reverse justify-end">
      <dt className="text-sm text-faint">{name}</dt>
      <dd className="font-[550] wrap-anywhere">{value}</dd>
    </div>
  )
}

/** The site that has the original of new posts. */
function UsualOriginal({ account, sites }: { account: AccountBody; sites: readonly Site[] }) {
  const change = useMutation({
    mutationFn: setUsualOriginal,
    onSuccess: () => toast({ text: 'Saved for new posts.' }),
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
  })
  return (
    <Field
      label="Original"
      hint="The site that the others point to when a post goes to several. Each post can have another one."
    >
      <Select
        value={(change.isPending ? change.variables : account.primary_site_id) ?? ''}
        onChange={({ target }) => change.mutate(target.value === '' ? null : target.value)}
      >
        <option value="">None</option>
        {sites.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** The rate limit of programs that use the API. The dashboard is counted apart. */
function Requests({ limit }: { limit: AccountBody['limits']['management'] }) {
  if (limit === null) {
    return <p className="text-quiet">Requests to the API are not limited here.</p>
  }
  const used = limit.limit - limit.remaining
  const minutes = Math.ceil(limit.reset_seconds / 60)
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span id="requests" className="font-[550]">
          Requests
        </span>
        <span className="figures text-sm text-faint">
          {number(used)} of {number(limit.limit)} used
        </span>
      </div>
      <meter
        aria-labelledby="requests"
        min={0}
        max={limit.limit}
        value={used}
        className="h-2 w-full appearance-none overflow-clip rounded-full bg-well ring-1 ring-line [&::-moz-meter-bar]:bg-ink [&::-webkit-meter-bar]:h-2 [&::-webkit-meter-bar]:rounded-full [&::-webkit-meter-bar]:border-0 [&::-webkit-meter-bar]:bg-well [&::-webkit-meter-optimum-value]:bg-ink [&::-webkit-meter-optimum-value]:rounded-full"
      />
      <p className="text-sm text-faint">
        {used === 0
          ? 'The hour begins with the first request.'
          : `Resets in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`}
      </p>
    </div>
  )
}

function Password({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: (data: FormData) =>
      api.auth.changePassword({
        current_password: textOf(data, 'current_password'),
        new_password: textOf(data, 'new_password'),
      }),
    onSuccess() {
      form.current?.reset()
      toast({ text: 'The password is changed. You are signed in here only.' })
    },
  })
  const wrongCurrent = problemOf(change.error, 'current_password')
  const wrongNew = problemOf(change.error, 'new_password')
  return (
    <form ref={form} className="grid gap-4" onSubmit={submitWith(change.mutate)}>
      {/* For password managers, which store a password under its user. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field label="Current password" required error={wrongCurrent}>
          <Input type="password" name="current_password" autoComplete="current-password" />
        </Field>
        <Field label="New password" required error={wrongNew} hint={PASSWORD_HINT}>
          <Input type="password" name="new_password" autoComplete="new-password" {...PASSWORD_LENGTHS} />
        </Field>
      </div>
      {change.isError && wrongCurrent === undefined && wrongNew === undefined && (
        <Notice tone="failed">{sentence(change.error)}</Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" icon={<KeyRound />} busy={change.isPending}>
          Change password
        </Button>
        <p className="text-sm text-faint">This signs out all other browsers, and programs that use your password.</p>
      </div>
    </form>
  )
}

function Sessions() {
  const [asking, setAsking] = useState(false)
  const everywhere = async () => {
    await api.auth.logoutEverywhere()
    location.assign('/sign-in')
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      <p className="text-quiet">
        You stay signed in for seven days after your last visit. Signing out everywhere also ends programs that logged
        in with your password; tokens of programs stay.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button icon={<LogOut />} onClick={() => void signOut()}>
          Sign out
        </Button>
        <Button icon={<ShieldOff />} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Sign out everywhere?"
        verb="Sign out everywhere"
        act={everywhere}
      >
        <p>
          Every browser has to sign in again, this one too, and every program that uses your password. Tokens of
          programs, site keys and deliveries keep working.
        </p>
      </Confirm>
    </div>
  )
}
