import type { Site, UpdateSite } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import type { SubmitEvent } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { keepSite } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { PLATFORM_NAMES } from '../../sites/health.tsx'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/choice.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'

const FIELDS = ['name', 'url', 'webhook_url', 'platform', 'niche'] as const

/** The site's settings; only changed fields are sent. */
export function Settings({ site }: { site: Site }) {
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
    save.mutate(change as UpdateSite)
  }
  const problem = (field: string) => problemOf(save.error, field)
  const named = FIELDS.some((field) => problem(field) !== undefined)
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <Field label="Name" required error={problem('name')}>
        <Input name="name" maxLength={120} defaultValue={site.name} />
      </Field>
      <Field label="Address" required error={problem('url')}>
        <Input type="url" name="url" defaultValue={site.url} />
      </Field>
      <Field label="Webhook address" required error={problem('webhook_url')} hint="Where posts are sent.">
        <Input type="url" name="webhook_url" mono defaultValue={site.webhook_url} />
      </Field>
      <Field label="Platform" error={problem('platform')}>
        {/* The service detects the platform, so it may change while this is shown. */}
        <Select key={site.platform} name="platform" defaultValue={site.platform}>
          {Object.entries(PLATFORM_NAMES).map(([platform, name]) => (
            <option key={platform} value={platform}>
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
