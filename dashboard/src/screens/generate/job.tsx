import type { GenerateDraft, GenerationJob } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { api, sentence } from '../../api.ts'
import { number } from '../../format.ts'
import { jobQuery } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Empty, Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Spinner } from '../../ui/spinner.tsx'

type Step = GenerationJob['progress']['step']

const STEPS: Record<Step, string> = {
  outline: 'Plan the sections',
  sections: 'Write them, one after the other',
  faq: 'Questions and answers',
  details: 'Title, description and tags',
  saving: 'Check and save',
}

type JobProps = {
  id: string
  /** The request, if this page made it. */
  asked: GenerateDraft | undefined
  onAgain: () => void
}

/** The progress of a draft; the editor opens when it is finished. */
export function Job({ id, asked, onAgain }: JobProps) {
  const navigate = useNavigate()
  const { data: job, error, refetch } = useQuery(jobQuery(id))
  const cancel = useMutation({ mutationFn: () => api.drafts.cancel(id), onSuccess: onAgain })
  const postId = job?.status === 'complete' ? job.post?.id : undefined
  const open = useEffectEvent((post: string) => {
    void navigate({ to: '/posts/$postId', params: { postId: post }, search: { draft: id }, replace: true })
  })
  useEffect(() => {
    if (postId !== undefined) open(postId)
  }, [postId])

  if (job === undefined)
    return (
      <Sheet>
        {error === null ? <Skeleton className="h-64" /> : <Problem error={error} retry={() => void refetch()} />}
      </Sheet>
    )
  if (job.status === 'failed')
    return (
      <Sheet title="The draft could not be written">
        <div className="grid gap-4">
          <Notice tone="failed">{job.error?.message ?? 'The service gave no reason.'}</Notice>
          <div>
            <Button onClick={onAgain}>{asked === undefined ? 'Start again' : 'Change it and try again'}</Button>
          </div>
        </div>
      </Sheet>
    )
  if (job.status === 'complete' && postId === undefined)
    return (
      <Empty title="The draft was deleted" action={<Button onClick={onAgain}>Start again</Button>}>
        It was written, and has been deleted since.
      </Empty>
    )
  return (
    <Sheet
      title={<bdi>{asked?.topic ?? 'A draft is being written'}</bdi>}
      aside={<Left seconds={job.estimated_seconds} />}
    >
      <div className="grid gap-5">
        <Bar percent={job.progress.percent} />
        <Steps job={job} faq={asked?.include_faq === true || job.progress.step === 'faq'} />
        {cancel.isError && <Notice tone="failed">{sentence(cancel.error)}</Notice>}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-sm text-faint">
            You can leave this page: the work continues, and the draft will be among your posts.
          </p>
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </div>
      </div>
    </Sheet>
  )
}

function Left({ seconds }: { seconds: number }) {
  if (seconds < 5) return 'A few seconds'
  return seconds < 90
    ? `About ${5 * Math.ceil(seconds / 5)} seconds left`
    : `About ${Math.ceil(seconds / 60)} minutes left`
}

function Bar({ percent }: { percent: number }) {
  return (
    <div
      role="progressbar"
      aria-label="Progress of the draft"
      aria-valuenow={percent}
      className="h-1.5 overflow-clip rounded-full bg-well ring-1 ring-line ring-inset"
    >
      <div
        className="h-full rounded-full bg-ink transition-[width] duration-300"
        style={{ width: `${Math.max(percent, 2)}%` }}
      />
    </div>
  )
}

function Steps({ job: { progress, target_words: words, generator }, faq }: { job: GenerationJob; faq: boolean }) {
  const steps = (Object.keys(STEPS) as Step[]).filter((step) => faq || step !== 'faq')
  const current = steps.indexOf(progress.step)
  return (
    <div className="grid gap-3">
      <ol className="grid gap-2.5">
        {steps.map((step, index) => (
          <li
            key={step}
            aria-current={index === current ? 'step' : undefined}
            className={index > current ? 'flex gap-2.5 text-faint' : 'flex gap-2.5'}
          >
            <span className="grid size-5 shrink-0 place-items-center">
              {index < current && <Check className="size-4 text-arrived" aria-hidden="true" />}
              {index === current && <Spinner />}
              {index > current && <span className="size-1.5 rounded-full bg-edge" aria-hidden="true" />}
            </span>
            <span>
              {STEPS[step]}
              {index < current && <span className="sr-only">: done</span>}
              {index === current && step === 'sections' && progress.parts !== undefined && (
                <span className="figures text-quiet">
                  {' '}
                  ({progress.part} of {progress.parts})
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
      <p className="text-sm text-faint">
        {generator === 'outline'
          ? `An outline for about ${number(words)} words.`
          : `About ${number(words)} words, by ${generator}.`}
      </p>
    </div>
  )
}
