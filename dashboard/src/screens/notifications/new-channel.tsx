import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { accountQuery, channelsQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { submitWith, textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'

type Kind = 'email' | 'slack' | 'webhook'

const TARGETS: Record<Kind, { label: string; hint: string }> = {
  email: { label: 'E-mail address', hint: 'It is sent a link first, which has to be followed.' },
  slack: {
    label: 'Address of the incoming webhook',
    hint: 'Slack, Mattermost and Rocket.Chat make one for a channel; of Discord’s, add /slack.',
  },
  webhook: { label: 'Address', hint: 'It gets JSON, signed like webhooks to sites.' },
}

/** A form for a new channel. */
export function NewChannel({ canMail, onDone }: { canMail: boolean; onDone: () => void }) {
  const [kind, setKind] = useState<Kind>(canMail ? 'email' : 'slack')
  const account = useQuery(accountQuery).data
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: (form: FormData) => api.notifications.create({ kind, target: textOf(form, 'target') }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries(channelsQuery),
  })
  const { label, hint } = TARGETS[kind]
  const problem = problemOf(add.error, 'target')
  return (
    <form className="grid gap-4" onSubmit={submitWith(add.mutate)}>
      <div className="grid items-start gap-4 sm:grid-cols-[12rem_1fr]">
        <Field label="Tell by">
          <Select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            <option value="email" disabled={!canMail}>
              E-mail
            </option>
            <option value="slack">Slack or another chat</option>
            <option value="webhook">Signed webhook</option>
          </Select>
        </Field>
        <Field key={kind} label={label} required hint={hint} error={problem}>
          <Input
            name="target"
            type={kind === 'email' ? 'email' : 'url'}
            defaultValue={kind === 'email' ? account?.user.email : ''}
          />
        </Field>
      </div>
      {!canMail && (
        <p className="text-sm text-faint">
          This service cannot send mail. Its operator can turn that on: see SMTP_URL in its configuration.
        </p>
      )}
      {add.isError && problem === undefined && <Notice tone="failed">{sentence(add.error)}</Notice>}
      <div>
        <Button kind="primary" type="submit" busy={add.isPending}>
          Add
        </Button>
      </div>
    </form>
  )
}
