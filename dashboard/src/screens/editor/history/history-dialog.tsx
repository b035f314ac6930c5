/** What the post was: its versions, what has changed since each, and the way back. */
import type { RevisionSummary } from '@postrider/sdk'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { History } from 'lucide-react'
import { useState } from 'react'
import { sentence } from '../../../api.ts'
import { revisionsQuery } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { ChangesSince } from './changes-since.tsx'

type HistoryDialogProps = { openPost: OpenPost; view: View; editable: boolean; onClose: () => void }

/** The open dialog, of a post that is stored. */
export function HistoryDialog({ openPost, view, editable, onClose }: HistoryDialogProps) {
  const { post, workingCopy, dirty } = view
  const present = post?.version ?? 1
  const [chosen, setChosen] = useState<number>()
  const history = useInfiniteQuery(revisionsQuery(openPost.id, present))
  const former = history.data?.pages.flatMap(({ revisions }) => revisions).filter(({ version }) => version < present)
  const selected = chosen ?? former?.[0]?.version
  const isUnsent = openPost.isPublished && (dirty || workingCopy !== undefined)
  const restore = useMutation({
    mutationFn: (version: number) => openPost.restore(version),
    onSuccess(done, version) {
      if (!done) return
      toast({ text: `The post is again what it was as version ${version}.` })
      onClose()
    },
  })
  return (
    <Dialog
      open
      quiet
      wide
      onOpenChange={onClose}
      title="History"
      description="Every version that was sent to your sites is kept, and the last hundred others."
      actions={
        selected !== undefined && (
          <Button
            kind="primary"
            icon={<History />}
            busy={restore.isPending}
            disabled={!editable || isUnsent}
            onClick={() => restore.mutate(selected)}
          >
            Go back to version {selected}
          </Button>
        )
      }
    >
      {history.isError && <Problem error={history.error} retry={() => void history.refetch()} />}
      {history.isPending && <Skeleton className="h-64" />}
      {former?.length === 0 && <p className="text-quiet">There is one version so far: the one that you see.</p>}
      {former !== undefined && selected !== undefined && (
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-[13rem_minmax(0,1fr)]">
          <div className="grid max-h-56 content-start gap-2 overflow-y-auto p-0.5 sm:max-h-[60dvh]">
            <Versions former={former} selected={selected} onSelect={setChosen} />
            {history.hasNextPage && (
              <Button
                size="sm"
                kind="quiet"
                busy={history.isFetchingNextPage}
                onClick={() => void history.fetchNextPage()}
              >
                Earlier versions
              </Button>
            )}
          </div>
          <div className="grid content-start gap-3">
            {isUnsent && (
              <Notice tone="trying">
                You have changes that your sites do not have yet. Send or discard them before you go back.
              </Notice>
            )}
            {restore.isError && <Notice tone="failed">{sentence(restore.error)}</Notice>}
            <ChangesSince postId={openPost.id} from={selected} to={present} />
          </div>
        </div>
      )}
    </Dialog>
  )
}

type VersionsProps = { former: readonly RevisionSummary[]; selected: number; onSelect: (version: number) => void }

function Versions({ former, selected, onSelect }: VersionsProps) {
  return (
    <ol aria-label="Versions" className="grid gap-1">
      {former.map((one) => (
        <li key={one.version}>
          <button
            type="button"
            aria-pressed={one.version === selected}
            onClick={() => onSelect(one.version)}
            className={clsx(
              'grid w-full gap-0.5 rounded-md px-3 py-2 text-left hover:bg-hover',
              one.version === selected && 'bg-hover ring-1 ring-line',
            )}
          >
            <span className="flex items-center gap-2 font-[550]">
              Version {one.version}
              {one.sent && <Badge>Sent</Badge>}
            </span>
            <span className="text-sm text-quiet">
              <Ago at={one.at} /> · {one.words.toLocaleString('en-US')} {one.words === 1 ? 'word' : 'words'}
            </span>
            {one.by !== 'person' && (
              <span className="text-sm text-faint">
                {one.by === 'token' ? `By the program “${one.by_name}”` : MADE_BY[one.by]}
              </span>
            )}
          </button>
        </li>
      ))}
    </ol>
  )
}

const MADE_BY = { draft: 'Written by the generator', import: 'Imported', schedule: 'Unpublished on schedule' }
