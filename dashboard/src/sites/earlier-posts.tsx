import type { BackfillResult, Site } from '@postrider/sdk'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { api, sentence } from '../api.ts'
import { counted } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/page.tsx'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { readsHere } from './health.tsx'

const LOOK_EVERY_MS = 2_000
const LOOK_IDLY_EVERY_MS = 15_000

const missing = ({ posts, pending }: BackfillResult) => posts + pending

/** How many posts were never delivered to a site. Some sites fetch them by themselves, so the count is looked at again while there are any. */
const countOf = (site: Site, everyMs = LOOK_IDLY_EVERY_MS) =>
  queryOptions({
    queryKey: ['backfill', site.id],
    queryFn: ({ signal }) => api.sites.backfill(site.id, { dry_run: true }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && missing(data) > 0 && !readsHere(site) && site.status !== 'inactive' && everyMs,
  })

/** The same in a sheet of its own, once there are any. */
export function OfferEarlierPosts({ site }: { site: Site }) {
  const count = useQuery(countOf(site)).data
  const [isOffered, setOffered] = useState(false)
  if (!isOffered && count !== undefined && missing(count) > 0) setOffered(true)
  return isOffered ? (
    <Sheet title="Earlier posts">
      <EarlierPosts site={site} />
    </Sheet>
  ) : null
}

/** Counts the posts that were never delivered to the site, sends them on request, and shows how far that is. */
export function EarlierPosts({ site }: { site: Site }) {
  const [asked, setAsked] = useState<number>()
  const count = useQuery(countOf(site, asked === undefined ? LOOK_IDLY_EVERY_MS : LOOK_EVERY_MS))
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
  if (readsHere(site))
    return <p className="text-quiet">Its pages read posts from here when they need them, earlier ones too.</p>
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
