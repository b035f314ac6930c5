import type { NotificationChannel, NotificationChannelList } from '@postrider/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hash, Mail, Plus, Send, Trash2, Webhook } from 'lucide-react'
import { useState } from 'react'
import { api, sentence } from '../../api.ts'
import { channelsQuery } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/choice.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { NewChannel } from './new-channel.tsx'

const ICONS = { email: Mail, slack: Hash, webhook: Webhook }

/** What people can be told of, in their words. */
const EVENTS: Array<[NotificationChannel['events'][number], string]> = [
  ['site.failing', 'A site stops accepting posts'],
  ['delivery.failed', 'More posts fail while it does'],
  ['site.recovered', 'The site is fine again'],
  ['site.not_live', 'A site accepts changes, but does not show them'],
  ['site.live', 'It shows everything again'],
  ['post.late', 'A scheduled post was published late'],
  ['draft.ready', 'A draft is ready'],
  ['draft.failed', 'A draft could not be written'],
]

/** The channels, and a form for another one. */
export function Channels({ channels, email }: NotificationChannelList) {
  const [adding, setAdding] = useState(false)
  return (
    <div className="grid grid-cols-1 gap-4">
      {channels.length === 0 && <p className="text-quiet">Nobody yet. What happens is shown here only.</p>}
      {channels.length > 0 && (
        <ul className="-my-3">
          {channels.map((channel) => (
            <Channel key={channel.id} channel={channel} />
          ))}
        </ul>
      )}
      {adding || channels.length === 0 ? (
        <NewChannel canMail={email} onDone={() => setAdding(false)} />
      ) : (
        <div>
          <Button icon={<Plus />} onClick={() => setAdding(true)}>
            Tell somebody else
          </Button>
        </div>
      )}
    </div>
  )
}

function Channel({ channel }: { channel: NotificationChannel }) {
  const { id, kind, target, status, last_error } = channel
  const [removing, setRemoving] = useState(false)
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries(channelsQuery)
  const test = useMutation({
    mutationFn: () => api.notifications.test(id),
    onSuccess(result) {
      if (result === undefined) toast({ text: 'The link was sent again.' })
      else if (result.ok) toast({ text: 'The test message arrived.' })
      else toast({ tone: 'failed', text: 'The test message did not arrive.' })
    },
    onSettled: refresh,
  })
  const Icon = ICONS[kind]
  return (
    <li className="grid grid-cols-1 gap-3 border-b border-line py-3 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon className="size-4 shrink-0 text-faint" aria-hidden="true" />
        <span className="min-w-0 flex-1 basis-40 font-[550] wrap-anywhere">{target}</span>
        <Status status={status} />
        <div className="flex">
          <Button kind="quiet" size="sm" icon={<Send />} busy={test.isPending} onClick={() => test.mutate()}>
            {status === 'unverified' ? 'Send the link again' : 'Test'}
          </Button>
          <IconButton label={`Remove ${target}`} size="sm" icon={<Trash2 />} onClick={() => setRemoving(true)} />
        </div>
      </div>
      {status === 'unverified' && (
        <Notice>A link was sent to this address. Messages come once somebody has followed it.</Notice>
      )}
      {test.isError && <Notice tone="failed">{sentence(test.error)}</Notice>}
      {!test.isError && last_error !== null && (
        <Notice tone="failed" title="The last message did not arrive">
          {last_error}
        </Notice>
      )}
      <Details channel={channel} />
      <Confirm
        open={removing}
        onOpenChange={setRemoving}
        title="Stop telling?"
        verb="Remove"
        act={() => api.notifications.delete(id).then(refresh)}
      >
        <p>
          <bdi>{target}</bdi> hears of nothing any more.
        </p>
      </Confirm>
    </li>
  )
}

function Status({ status }: Pick<NotificationChannel, 'status'>) {
  if (status === 'active') return null
  return status === 'failing' ? <Badge tone="failed">Failing</Badge> : <Badge tone="waiting">Waiting for a yes</Badge>
}

/** What the channel is told, and the secret of a webhook. */
function Details({ channel: { id, target, events, secret } }: { channel: NotificationChannel }) {
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (next: NotificationChannel['events']) => api.notifications.update(id, { events: next }),
    onSettled: () => queries.invalidateQueries(channelsQuery),
  })
  const shown = change.isPending ? change.variables : events
  const toggle = (event: NotificationChannel['events'][number]) =>
    change.mutate(shown.includes(event) ? shown.filter((one) => one !== event) : [...shown, event])
  return (
    <details className="group">
      <summary className="cursor-pointer rounded-sm text-sm text-quiet">
        {shown.length === EVENTS.length ? 'Told of everything' : `Told of ${shown.length} of ${EVENTS.length} things`}
      </summary>
      <fieldset className="mt-3 grid grid-cols-1 gap-2 sm:grid-cols-2">
        <legend className="sr-only">What {target} is told</legend>
        {EVENTS.map(([event, words]) => (
          <Checkbox key={event} label={words} checked={shown.includes(event)} onChange={() => toggle(event)} />
        ))}
      </fieldset>
      {change.isError && <Notice tone="failed">{sentence(change.error)}</Notice>}
      {secret !== undefined && (
        <p className="mt-3 text-sm text-faint">
          Requests are signed with <code className="font-mono wrap-anywhere">{secret}</code>
        </p>
      )}
    </details>
  )
}
