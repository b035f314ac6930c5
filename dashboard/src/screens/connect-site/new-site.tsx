import type { CreateSite, DetectedPlatform, Site } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { reasonOf } from '../../delivery/reason.ts'
import { queryClient, sitesQuery } from '../../queries.ts'
import { RECEIVER_NAMES, RECEIVERS, type Receiver, type ReceiverName, receiverFor } from '../../receivers/receivers.ts'
import { STATIC_RECEIVER_NAMES, STATIC_RECEIVERS, type StaticReceiverName } from '../../receivers/static-receivers.ts'
import { BUILD_HOOK_NAME, HookField, HookWords } from '../../sites/build-hook.tsx'
import { fieldsOf, MADE_WITH } from '../../sites/made-with.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'
import { addressOf, isSameAddress, nameFrom, siteAt, webhookAddress } from './address.ts'

type Look = { address: string; found: DetectedPlatform | undefined }

/** Asks for the address first, then fills in the other fields from it; they can be changed. */
export function NewSite() {
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const look = useMutation({
    // A failed look does not keep anybody from going on.
    mutationFn: async (address: string): Promise<Look> => ({
      address,
      found: await api.sites.detectPlatform(address).catch(() => undefined),
    }),
  })
  const address = addressOf(typed)
  const looked = look.data?.address === address ? look.data : undefined

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWrong(address === undefined)
    if (address !== undefined && !look.isPending) look.mutate(address)
  }
  return (
    <div className="grid grid-cols-1 gap-5">
      <form className="grid gap-4" noValidate onSubmit={submit}>
        <Field
          label="Address"
          required
          hint="As your readers know it."
          error={wrong && address === undefined ? 'This is not the address of a site.' : undefined}
        >
          <Input
            type="url"
            name="url"
            autoComplete="url"
            placeholder="https://blog.example.com"
            value={typed}
            onChange={({ target: { value } }) => setTyped(value)}
            autoFocus
          />
        </Field>
        {looked === undefined && (
          <div>
            <Button kind="primary" type="submit" busy={look.isPending}>
              {look.isPending ? 'Looking at the site' : 'Continue'}
            </Button>
          </div>
        )}
      </form>
      <div role="status" className="empty:hidden">
        {looked !== undefined && <Found found={looked.found} />}
      </div>
      {looked !== undefined && <Details key={looked.address} look={looked} />}
    </div>
  )
}

/** The kind of a site that its host builds; in a choice, before the name of what it is made with. */
const HOOK = 'build_hook'

type Choice = ReceiverName | `${typeof HOOK}:${StaticReceiverName}`

/** What a choice means: a receiver of webhooks, or what the host builds. */
function meaningOf(choice: Choice | undefined) {
  const built = STATIC_RECEIVER_NAMES.find((name) => choice === `${HOOK}:${name}`)
  return { built, receiver: RECEIVER_NAMES.find((name) => name === choice) }
}

/** What a look at the site suggests; undefined if nothing. */
function suggestionOf(found: DetectedPlatform | undefined): Choice | undefined {
  if (found?.platform === 'gatsby') return `${HOOK}:gatsby`
  // Its generator does not say whether a server runs it. Most are built.
  if (found?.platform === 'custom' && found.generator?.startsWith('Astro')) return `${HOOK}:astro`
  return found && receiverFor(found.platform)
}

function Details({ look: { address, found } }: { look: Look }) {
  const suggested = suggestionOf(found)
  const [choice, setChoice] = useState(suggested)
  const { built, receiver } = meaningOf(choice)
  const [typed, setTyped] = useState<string>()
  const navigate = useNavigate({ from: '/sites/new' })
  const sites = useQuery(sitesQuery)
  const chosen: Receiver | undefined = receiver && RECEIVERS[receiver]
  const webhook = typed ?? webhookAddress(address, chosen?.webhookPath ?? '/')
  const connect = useMutation({
    mutationFn: (input: CreateSite) => api.sites.create(input),
    onSuccess(site) {
      void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] })
      void navigate({ search: { site: site.id }, replace: true })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    // A detected platform is not sent: the service detects it too, and looks again when the site moves.
    const { platform, framework } = fieldsOf(built ?? receiver ?? 'custom')
    connect.mutate({
      name: textOf(form, 'name'),
      url: address,
      webhook_url: textOf(form, 'webhook_url'),
      niche: textOf(form, 'niche'),
      recovery: 'automatic',
      ...liveOf(chosen, textOf(form, 'post_url').trim()),
      ...(built === undefined ? {} : { kind: HOOK }),
      ...(choice === suggested ? {} : { platform }),
      framework,
    })
  }
  // After connecting, the list contains the new site itself.
  const twin = connect.isSuccess ? undefined : siteAt(sites.data?.sites ?? [], { url: address, webhook_url: webhook })
  const problem = (field: string) => problemOf(connect.error, field)
  const named = ['name', 'webhook_url', 'post_url', 'niche'].some((field) => problem(field) !== undefined)
  return (
    <form className="grid animate-appear gap-4" onSubmit={submit}>
      <Field label="Made with">
        {/* The button that led here is gone. */}
        <Select
          autoFocus
          required
          value={choice ?? ''}
          onChange={({ target: { value } }) => setChoice(value as Choice)} // an option's
        >
          {choice === undefined && <option value="">Choose</option>}
          <optgroup label="It receives posts itself">
            {RECEIVER_NAMES.map((name) => (
              <option key={name} value={name}>
                {RECEIVERS[name].name}
              </option>
            ))}
          </optgroup>
          <optgroup label={BUILD_HOOK_NAME}>
            {STATIC_RECEIVER_NAMES.map((name) => (
              <option key={name} value={`${HOOK}:${name}`}>
                {STATIC_RECEIVERS[name].name}
              </option>
            ))}
          </optgroup>
        </Select>
      </Field>
      <Field label="Name" required error={problem('name')}>
        <Input name="name" maxLength={120} defaultValue={nameFrom(address)} />
      </Field>
      {built !== undefined ? (
        <>
          <HookField error={problem('webhook_url')} />
          <HookWords seconds={60} />
          <Field
            label="Address of a post"
            error={problem('post_url')}
            hint="Where your pages are, with {slug}. Postrider looks there whether a post is live; leave it empty if it should not."
          >
            <Input name="post_url" mono maxLength={2048} defaultValue={`${address}/blog/{slug}`} />
          </Field>
        </>
      ) : receiver !== undefined ? (
        <Field
          label="Webhook address"
          required
          error={problem('webhook_url')}
          hint="Where posts are sent. This one fits the code of the next step."
        >
          <Input
            type="url"
            name="webhook_url"
            mono
            value={webhook}
            onChange={({ target: { value } }) => setTyped(value)}
          />
        </Field>
      ) : null}
      <Field
        label="What the site is about"
        error={problem('niche')}
        hint="Optional. Drafts generated for this site stay on this subject."
      >
        <Input name="niche" maxLength={500} placeholder="Baking at home" />
      </Field>
      <div role="status" className="empty:hidden">
        {twin !== undefined && <Twin site={twin} webhook={webhook} />}
      </div>
      {connect.isError && !named && <Notice tone="failed">{sentence(connect.error)}</Notice>}
      <div>
        <Button kind="primary" type="submit" busy={connect.isPending}>
          Connect the site
        </Button>
      </div>
    </form>
  )
}

/** Whether pages are looked at: where it is known where a site shows its posts, by its pattern or by what it answers. */
function liveOf(receiver: Receiver | undefined, postUrl: string): Pick<CreateSite, 'post_url' | 'verify'> {
  if (postUrl !== '') return { post_url: postUrl, verify: true }
  return { verify: receiver?.saysWhere === true }
}

/** Warns that a site with this address is connected already. It may be intended (two blogs at one address), but is often forgotten. */
function Twin({ site: { id, name, webhook_url }, webhook }: { site: Site; webhook: string }) {
  const isSameReceiver = isSameAddress(webhook_url, webhook)
  return (
    <Notice tone="trying" title="This site seems to be connected already">
      <Link to="/sites/$siteId" params={{ siteId: id }} dir="auto" className="font-[550] underline underline-offset-3">
        {name}
      </Link>{' '}
      {isSameReceiver
        ? 'has the same webhook address. Connected twice, the site gets every post twice.'
        : 'has the same address. Connected twice, it may show every post twice.'}
    </Notice>
  )
}

function Found({ found }: { found: DetectedPlatform | undefined }) {
  if (found === undefined) return <Notice>We could not look at the site. Choose what it is made with.</Notice>
  if (!found.reached) {
    return (
      <Notice
        tone="trying"
        title={`The site could not be reached: ${reasonOf(null, found.reason ?? 'network_error')}.`}
      >
        You can connect it all the same. Choose what it is made with.
      </Notice>
    )
  }
  if (suggestionOf(found) === `${HOOK}:astro`)
    return (
      <Notice tone="arrived">
        It is made with Astro. Choose whether its host builds it, which is usual, or a server makes its pages.
      </Notice>
    )
  if (found.platform === 'custom') return <Notice>We could not tell what the site is made with. Choose it here.</Notice>
  return <Notice tone="arrived">It is made with {MADE_WITH[found.platform]}.</Notice>
}
