/** Links with which somebody without an account reads the post before it is published. */
import type { PreviewLink } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { Fragment, useState } from 'react'
import { api, sentence } from '../../../api.ts'
import { previewsQuery, queryClient } from '../../../queries.ts'
import { longTime, OWN_ZONE } from '../../../schedule/zoned.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Select } from '../../../ui/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'

const DAY_SECONDS = 24 * 3_600
const LASTING = [
  { seconds: DAY_SECONDS, name: 'A day' },
  { seconds: 7 * DAY_SECONDS, name: 'A week' },
  { seconds: 30 * DAY_SECONDS, name: 'A month' },
  { seconds: 90 * DAY_SECONDS, name: 'Three months' },
]
const USUAL_SECONDS = 7 * DAY_SECONDS

/** The open dialog, of a post that is stored. */
export function ShareDialog({ postId, onClose }: { postId: string; onClose: () => void }) {
  const links = useQuery(previewsQuery(postId))
  const [seconds, setSeconds] = useState(USUAL_SECONDS)
  const make = useMutation({
    mutationFn: () => api.posts.previews.create(postId, { expires_in: seconds }),
    onSuccess: () => refresh(postId),
  })
  const previews = links.data?.previews
  return (
    <Dialog
      open
      quiet
      onOpenChange={onClose}
      title="Share a preview"
      description="Whoever has a link reads the post as it is then, with changes that are not published, without an account."
      actions={
        <Button kind="primary" icon={<Link2 />} busy={make.isPending} onClick={() => make.mutate()}>
          {previews?.length === 0 ? 'Make a link' : 'Make another link'}
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4">
        {links.isError && <Problem error={links.error} retry={() => void links.refetch()} />}
        {links.isPending && <Skeleton className="h-16" />}
        {previews !== undefined && previews.length > 0 && (
          <ul aria-label="Links" className="grid grid-cols-1 gap-3">
            {previews.map((link) => (
              <SharedLink key={link.id} postId={postId} link={link} />
            ))}
          </ul>
        )}
        <Field label="A new link works for">
          <Select value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
            {LASTING.map((one) => (
              <option key={one.seconds} value={one.seconds}>
                {one.name}
              </option>
            ))}
          </Select>
        </Field>
        {make.isError && <Notice tone="failed">{sentence(make.error)}</Notice>}
      </div>
    </Dialog>
  )
}

function SharedLink({ postId, link }: { postId: string; link: PreviewLink }) {
  const end = useMutation({
    mutationFn: () => api.posts.previews.revoke(postId, link.id),
    onSuccess: () => refresh(postId),
  })
  return (
    <li className="grid grid-cols-1 gap-2 rounded-md bg-well p-3 ring-1 ring-line">
      <a
        href={link.url}
        target="_blank"
        rel="noreferrer"
        className="font-mono text-sm [overflow-wrap:anywhere] underline underline-offset-3"
      >
        {link.url}
      </a>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={link.url} what="the link" words />
        <Button size="sm" kind="quiet" busy={end.isPending} onClick={() => end.mutate()}>
          Take it back
        </Button>
        <span className="ml-auto text-sm text-faint">
          Until {longTime(new Date(link.expires_at).getTime(), OWN_ZONE)}
        </span>
      </div>
      {link.sites.length > 0 && (
        <p className="text-sm text-quiet">
          As it will look on{' '}
          {link.sites.map(({ site_id: id, name, url }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <a href={url} target="_blank" rel="noreferrer" className="underline underline-offset-3">
                {name}
              </a>
            </Fragment>
          ))}
        </p>
      )}
      {end.isError && <Notice tone="failed">{sentence(end.error)}</Notice>}
    </li>
  )
}

const refresh = (postId: string) => queryClient.invalidateQueries({ queryKey: previewsQuery(postId).queryKey })
