import type { NewApiToken } from '@postrider/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { sitesQuery, tokensQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/choice.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { submitWith, textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'
import { PRESETS, type Scope, WORDS } from './scopes.ts'

const OWN = 'own'
const DAY_MS = 86_400_000

/** A form for a new token. */
export function NewToken({ onMade, onCancel }: { onMade: (token: NewApiToken) => void; onCancel: () => void }) {
  const [preset, setPreset] = useState('0')
  const [own, setOwn] = useState<readonly Scope[]>(PRESETS[0]?.scopes ?? [])
  const [siteIds, setSiteIds] = useState<readonly string[]>([])
  const sites = useQuery(sitesQuery).data?.sites ?? []
  const queries = useQueryClient()
  const scopes = preset === OWN ? own : (PRESETS[Number(preset)]?.scopes ?? [])
  const make = useMutation({
    mutationFn: (form: FormData) => {
      const days = Number(textOf(form, 'days'))
      return api.tokens.create({
        name: textOf(form, 'name'),
        scopes: [...scopes],
        ...(siteIds.length === 0 ? {} : { site_ids: [...siteIds] }),
        ...(days === 0 ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
      })
    },
    onSuccess: onMade,
    onSettled: () => queries.invalidateQueries(tokensQuery),
  })
  const toggled = <One,>(all: readonly One[], one: One) =>
    all.includes(one) ? all.filter((other) => other !== one) : [...all, one]
  const problem = problemOf(make.error, 'name')
  return (
    <form className="grid gap-4" onSubmit={submitWith(make.mutate)}>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field label="What it is for" required error={problem}>
          <Input name="name" maxLength={100} autoFocus />
        </Field>
        <Field label="Works for">
          <Select name="days" defaultValue="0">
            <option value="0">Until I revoke it</option>
            <option value="30">30 days</option>
            <option value="90">90 days</option>
            <option value="365">A year</option>
          </Select>
        </Field>
        <Field label="It may" hint={PRESETS[Number(preset)]?.hint ?? 'Choose below what it may do.'}>
          <Select value={preset} onChange={({ target }) => setPreset(target.value)}>
            {PRESETS.map(({ name }, index) => (
              <option key={name} value={String(index)}>
                {name}
              </option>
            ))}
            <option value={OWN}>Something else …</option>
          </Select>
        </Field>
      </div>
      {preset === OWN && (
        <fieldset className="grid grid-cols-1 gap-2 sm:grid-cols-2">
          <legend className="mb-2 text-sm font-[550]">What it may do</legend>
          {(Object.keys(WORDS) as Scope[]).map((scope) => (
            <Checkbox
              key={scope}
              label={WORDS[scope].long}
              hint={<code>{scope}</code>}
              checked={own.includes(scope)}
              onChange={() => setOwn(toggled(own, scope))}
            />
          ))}
        </fieldset>
      )}
      {sites.length > 1 && (
        <details>
          <summary className="cursor-pointer rounded-sm text-sm text-quiet">
            {siteIds.length === 0 ? 'For all sites' : `For ${siteIds.length} of ${sites.length} sites`}
          </summary>
          <fieldset className="mt-3 grid grid-cols-1 gap-2 sm:grid-cols-2">
            <legend className="mb-2 text-sm text-faint">
              With a site ticked, it sees and changes only posts for the ticked ones.
            </legend>
            {sites.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                checked={siteIds.includes(id)}
                onChange={() => setSiteIds(toggled(siteIds, id))}
              />
            ))}
          </fieldset>
        </details>
      )}
      {make.isError && problem === undefined && <Notice tone="failed">{sentence(make.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" icon={<KeyRound />} busy={make.isPending} disabled={scopes.length === 0}>
          Make the token
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
