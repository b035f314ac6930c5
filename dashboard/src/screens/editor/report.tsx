/** The report on a generated draft: what to check before it goes out. */
import type { GenerationJob } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, Minus, X } from 'lucide-react'
import { number, percent } from '../../format.ts'
import { jobQuery } from '../../queries.ts'
import { IconButton } from '../../ui/button.tsx'
import { Code } from '../../ui/copy.tsx'
import { Figures } from '../../ui/figures.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'

type Keyword = GenerationJob['keywords'][number]

const PLACES: ReadonlyArray<[name: string, isIn: (keyword: Keyword) => boolean]> = [
  ['Title', (one) => one.in_title],
  ['Address', (one) => one.in_slug],
  ['Description', (one) => one.in_description],
  ['Beginning', (one) => one.in_introduction],
  ['Headings', (one) => one.in_headings],
]

/** The report of the job that wrote the post, as long as the service keeps the job. */
export function Report({ jobId, postId }: { jobId: string; postId: string }) {
  const { data: job } = useQuery(jobQuery(jobId))
  const navigate = useNavigate()
  if (job?.status !== 'complete' || job.post?.id !== postId) return null
  const isOutline = job.generator === 'outline'
  const close = () => void navigate({ to: '/posts/$postId', params: { postId }, search: {}, replace: true })
  return (
    <Sheet
      title={isOutline ? 'An outline to write from' : 'How it was written'}
      aside={<IconButton size="sm" label="Close" icon={<X />} onClick={close} />}
    >
      <div className="grid gap-4">
        <Figures
          figures={[
            { name: isOutline ? 'Words the text is to have' : 'Words asked for', value: number(job.target_words) },
            { name: isOutline ? 'Words of the outline' : 'Words written', value: number(job.actual_words) },
            {
              name: 'Written by',
              value: <span className="text-base break-words">{isOutline ? 'No model' : job.generator}</span>,
            },
          ]}
        />
        {job.warnings.length > 0 && (
          <Notice tone="trying" title="Look at this before you publish">
            <ul className="mt-1 grid list-disc gap-1 pl-4">
              {job.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Notice>
        )}
        {job.keywords.length > 0 && <Keywords keywords={job.keywords} />}
        {job.structured_data !== null && (
          <details>
            <summary className="w-fit rounded-sm font-[550]">Questions and answers as structured data</summary>
            <div className="mt-2">
              <Code label="JSON-LD, for the page" text={JSON.stringify(job.structured_data, null, 2)} />
            </div>
          </details>
        )}
      </div>
    </Sheet>
  )
}

function Keywords({ keywords }: { keywords: readonly Keyword[] }) {
  return (
    <Table label="Keywords when it was written">
      <thead>
        <tr>
          <Th>Keyword</Th>
          <Th numeric>Uses</Th>
          <Th numeric>Share</Th>
          {PLACES.map(([name]) => (
            <Th key={name}>{name}</Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keywords.map((one) => (
          <Tr key={one.keyword}>
            <Td>
              <bdi>{one.keyword}</bdi>
              {one.primary && <span className="text-sm text-faint"> (main)</span>}
            </Td>
            <Td numeric>{number(one.occurrences)}</Td>
            <Td numeric>{percent(one.density)}</Td>
            {PLACES.map(([name, isIn]) => (
              <Td key={name}>
                {isIn(one) ? (
                  <Check role="img" aria-label="yes" className="size-4 text-arrived" />
                ) : (
                  <Minus role="img" aria-label="no" className="size-4 text-faint" />
                )}
              </Td>
            ))}
          </Tr>
        ))}
      </tbody>
    </Table>
  )
}
