import type { BackfillResult, Site } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { api, sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'

const LOOK_EVERY_MS = 2_000

const missing = ({ posts, pending }: BackfillResult) => posts + pending

/** Counts the posts that were never delivered to the site, sends them on request, and shows how far that is. */
export function EarlierPosts({ site }: { site: Site }) {
  const [asked, setAsked] = useState<number>()
  const count = useQuery({
    queryKey: ['backfill', site.id],
    queryFn: ({ signal }) => api.sites.backfill(site.id, { dry_run: true }, { signal }),
    refetchInterval: ({ state: { data } }) => asked !== undefined && data && missing(data) > 0 && LOOK_EVERY_MS,
  })
  const send = useMutation({
    mutationFn: () => api.sites.backfill(site.id),
    onSuccess(sent) {
      setAsked(missing(sent))
      void count.refetch()
    },
  })
  if (count.data === undefined)
    return count.isError ? (
      <Problem error={count.error} retry={() => void count.refetch()} />
    ) : (
      <Skeleton className="h-10" />
    )
  if (asked !== undefined) return <Progress arrived={Math.max(0, asked - missing(count.data))} asked={asked} />
  const { posts, pending } = count.data
  if (posts === 0)
    return (
      <p className="text-quiet">
        {pending === 0
          ? 'Every published post that belongs on this site has been delivered to it.'
          : `${counted(pending, 'post')} on the way. Every other one has been delivered.`}
      </p>
    )
  const paused = site.status === 'inactive'
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-quiet">
        {counted(posts, 'published post')} never arrived here, from before the site was connected or after a failure.
        {paused && ' Make the site active to send them.'}
      </p>
      {send.isError && <Notice tone="failed">{sentence(send.error)}</Notice>}
      <div>
        <Button icon={<Send />} disabled={paused} busy={send.isPending} onClick={() => send.mutate()}>
          Send all earlier posts to this site
        </Button>
      </div>
    </div>
  )
}

function Progress({ arrived, asked }: { arrived: number; asked: number }) {
  return (
    <div className="grid grid-cols-1 gap-2" role="status">
      <p>
        {arrived < asked
          ? `${arrived} of ${counted(asked, 'post')} have arrived. You can leave this page; it goes on.`
          : asked === 1
            ? 'The post has arrived.'
            : `All ${counted(asked, 'post')} have arrived.`}
      </p>
      <progress className="w-full accent-horn" aria-label="Posts that have arrived" value={arrived} max={asked} />
    </div>
  )
}
