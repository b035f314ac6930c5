import type { Site, UpdateSite } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { keepSite } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { HookField } from '../../sites/build-hook.tsx'
import { fieldsOf, MADE_WITH, type Made, madeOf } from '../../sites/made-with.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, Switch } from '../../ui/choice.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'

const FIELDS = ['name', 'url', 'kind', 'webhook_url', 'niche', 'canonical', 'recovery'] as const

/** The site's settings; only changed fields are sent. */
export function Settings({ site }: { site: Site }) {
  const [kind, setKind] = useState(site.kind)
  const save = useMutation({
    mutationFn: (change: UpdateSite) => api.sites.update(site.id, change),
    onSuccess(saved) {
      keepSite(saved)
      toast({ text: 'The settings are saved.' })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const change = Object.fromEntries(
      FIELDS.map((name) => [name, textOf(form, name)] as const).filter(([name, value]) => value !== site[name]),
    )
    const postUrl = textOf(form, 'post_url').trim() || null
    const seconds = Number(textOf(form, 'debounce_seconds'))
    const made = textOf(form, 'made') as Made // an option's
    save.mutate({
      ...(change as UpdateSite),
      ...(made === madeOf(site) ? {} : fieldsOf(made)),
      ...(postUrl === site.post_url ? {} : { post_url: postUrl }),
      ...(form.has('verify') === site.verify ? {} : { verify: form.has('verify') }),
      ...(kind === 'webhook' || seconds === site.debounce_seconds ? {} : { debounce_seconds: seconds }),
    })
  }
  const problem = (field: string) => problemOf(save.error, field)
  const named = [...FIELDS, 'platform', 'post_url', 'debounce_seconds'].some((field) => problem(field) !== undefined)
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <Field label="Name" required error={problem('name')}>
        <Input name="name" maxLength={120} defaultValue={site.name} />
      </Field>
      <Field label="Address" required error={problem('url')}>
        <Input type="url" name="url" defaultValue={site.url} />
      </Field>
      <Field label="How posts reach it" error={problem('kind')}>
        <Select name="kind" value={kind} onChange={({ target: { value } }) => setKind(value as Site['kind'])}>
          <option value="webhook">Signed webhooks to the site</option>
          <option value="build_hook">Deploy hook of a static site’s host</option>
        </Select>
      </Field>
      {kind === 'webhook' ? (
        <Field label="Webhook address" required error={problem('webhook_url')} hint="Where posts are sent.">
          <Input
            key={kind}
            type="url"
            name="webhook_url"
            mono
            defaultValue={site.kind === kind ? site.webhook_url : ''}
          />
        </Field>
      ) : (
        <>
          <HookField error={problem('webhook_url')} defaultValue={site.kind === kind ? site.webhook_url : ''} />
          <Field label="Seconds between builds" error={problem('debounce_seconds')} hint="At least, from 10 to 3600.">
            <Input
              type="number"
              name="debounce_seconds"
              min={10}
              max={3600}
              defaultValue={site.debounce_seconds ?? 60}
            />
          </Field>
        </>
      )}
      <Field
        label="Address of a post"
        error={problem('post_url')}
        hint="Optional, with {slug} or {id}, also {yyyy} and {mm}: https://example.com/blog/{slug}."
      >
        <Input name="post_url" mono maxLength={2048} defaultValue={site.post_url ?? ''} />
      </Field>
      <Checkbox
        name="verify"
        defaultChecked={site.verify}
        label="Look whether posts are live"
        hint="After the site has accepted a post, its page is read until it shows the post. You hear if it does not."
      />
      <Field label="Made with" error={problem('platform')}>
        {/* The service detects the platform, so it may change while this is shown. */}
        <Select key={madeOf(site)} name="made" defaultValue={madeOf(site)}>
          {Object.entries(MADE_WITH).map(([made, name]) => (
            <option key={made} value={made}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="What the site is about"
        error={problem('niche')}
        hint="Drafts generated for this site stay on this subject."
      >
        <Input name="niche" maxLength={500} defaultValue={site.niche} />
      </Field>
      <Field
        label="Posts that have their original elsewhere"
        error={problem('canonical')}
        hint="What its pages tell search engines of such a post: which site it counts for."
      >
        <Select name="canonical" defaultValue={site.canonical}>
          <option value="primary">Point to the original</option>
          <option value="own">Stand for themselves, with their own address</option>
        </Select>
      </Field>
      <Field
        label="After an outage"
        error={problem('recovery')}
        hint={
          kind === 'webhook'
            ? 'A site that is down is asked every 15 minutes whether it works again.'
            : 'A build hook is not asked whether it works again: the next publication shows it.'
        }
      >
        <Select name="recovery" defaultValue={site.recovery}>
          <option value="automatic">Send what failed by itself, once the site works again</option>
          <option value="manual">Wait until somebody sends it again</option>
        </Select>
      </Field>
      {save.isError && !named && <Notice tone="failed">{sentence(save.error)}</Notice>}
      <div>
        <Button type="submit" kind="primary" busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

/** Pauses and resumes the site. */
export function Activity({ site }: { site: Site }) {
  const active = site.status !== 'inactive'
  const change = useMutation({
    mutationFn: (on: boolean) => api.sites.update(site.id, { status: on ? 'active' : 'inactive' }),
    onSuccess(saved) {
      keepSite(saved)
      toast({ text: saved.status === 'inactive' ? 'The site is paused.' : 'The site is active again.' })
    },
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
  })
  useAction({ does: active ? 'Pause the site' : 'Resume the site', group: 'Site' }, () => change.mutate(!active))
  return (
    <Switch
      label="Active"
      hint={
        active
          ? 'Posts are delivered as you publish them.'
          : 'Paused: nothing is sent. Pending deliveries wait until the site is active again.'
      }
      checked={change.isPending ? change.variables : active}
      onChange={({ target: { checked } }) => change.mutate(checked)}
    />
  )
}
