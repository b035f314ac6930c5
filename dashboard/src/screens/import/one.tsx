/** One import: looking at what comes of it, running it with its progress, and undoing it. */
import type { ImportWithReport } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, sentence } from '../../api.ts'
import { counted, number } from '../../format.ts'
import { importQuery, queryClient } from '../../queries.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/choice.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Report } from './report.tsx'

export function OneImport({ id, onLeft }: { id: string; onLeft: () => void }) {
  const { data, isError, error, refetch } = useQuery(importQuery(id))
  if (isError && data === undefined) return <Problem error={error} retry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="h-40" />
  return <Loaded one={data} onLeft={onLeft} />
}

const again = (id: string) => queryClient.invalidateQueries({ queryKey: ['imports', 'one', id] })

function Loaded({ one, onLeft }: { one: ImportWithReport; onLeft: () => void }) {
  const { import_id: id, status, report, progress } = one
  const [isAsking, setAsking] = useState(false)
  const [pictures, setPictures] = useState(false)
  const run = useMutation({ mutationFn: () => api.imports.run(id, { pictures }), onSuccess: () => again(id) })
  const leave = useMutation({
    mutationFn: () => api.imports.delete(id),
    onSuccess: async (undoing) => {
      await queryClient.invalidateQueries({ queryKey: ['imports'] })
      if (undoing === undefined) onLeft()
    },
  })
  const todo = report.new + report.changed
  const done = progress.done
  return (
    <>
      <Sheet title={one.name === '' ? 'Import' : one.name} aside={STEPS[status]}>
        <div className="grid gap-4">
          {status === 'reading' && <Progress label="Looking at the posts" {...progress} />}
          {status === 'importing' && <Progress label="Importing" {...progress} />}
          {status === 'undoing' && <Progress label="Undoing" {...progress} />}
          {status === 'failed' && (
            <Notice tone="failed" title="The import failed">
              {one.problem}
            </Notice>
          )}
          {status === 'complete' && (
            <Notice
              tone="arrived"
              title={todo === 0 ? 'Everything was here already' : `${counted(done, 'post')} imported`}
            >
              No site was sent them. Sites that pull see what is published; to send it to others, open a site and choose
              to send it posts.
            </Notice>
          )}
          {status === 'undone' && (
            <Notice title={`${counted(report.undone, 'post')} undone`}>
              {report.kept > 0 &&
                `${counted(report.kept, 'post')} stayed: changed, published or sent to a site since the import.`}
            </Notice>
          )}
          {(run.isError || leave.isError) && <Notice tone="failed">{sentence(run.error ?? leave.error)}</Notice>}
          {status === 'ready' && todo > 0 && report.media > 0 && (
            <Checkbox
              label="Copy pictures from their websites into your library"
              hint="They stay visible when the old site is gone. This may take long; what cannot be copied is named."
              checked={pictures}
              onChange={({ target }) => setPictures(target.checked)}
            />
          )}
          <div className="flex flex-wrap gap-2">
            {status === 'ready' && todo > 0 && (
              <Button kind="primary" busy={run.isPending} onClick={() => run.mutate()}>
                Import {counted(todo, 'post')}
              </Button>
            )}
            {status === 'complete' && (
              <Link to="/posts" className={buttonLook({ kind: 'primary' })}>
                See your posts
              </Link>
            )}
            {(status === 'complete' || status === 'importing' || status === 'failed') && done > 0 && (
              <Button onClick={() => setAsking(true)}>Undo the import</Button>
            )}
            {(status === 'ready' || status === 'reading' || (status === 'failed' && done === 0)) && (
              <Button busy={leave.isPending} onClick={() => leave.mutate()}>
                Cancel
              </Button>
            )}
            {(status === 'complete' || status === 'undone') && <Button onClick={onLeft}>Import another file</Button>}
          </div>
        </div>
      </Sheet>
      {status !== 'reading' && <Report one={one} />}
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title="Undo this import?"
        verb="Undo the import"
        act={async () => {
          await leave.mutateAsync()
          await again(id)
        }}
      >
        Posts that it made are removed, and posts that it changed become what they were. What you have changed,
        published or sent to a site since stays.
      </Confirm>
    </>
  )
}

const STEPS: Record<ImportWithReport['status'], string> = {
  reading: 'Step 2 of 3: look',
  ready: 'Step 2 of 3: look',
  importing: 'Step 3 of 3: import',
  complete: 'Done',
  failed: 'Failed',
  undoing: 'Being undone',
  undone: 'Undone',
}

function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  const percent = total === 0 ? 0 : Math.round((100 * done) / total)
  return (
    <div className="grid gap-2">
      <p>
        {label}: {number(done)} of {number(total)}
      </p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        className="h-1.5 overflow-clip rounded-full bg-well ring-1 ring-line ring-inset"
      >
        <div
          className="h-full rounded-full bg-ink transition-[width] duration-300"
          style={{ width: `${Math.max(percent, 2)}%` }}
        />
      </div>
    </div>
  )
}
