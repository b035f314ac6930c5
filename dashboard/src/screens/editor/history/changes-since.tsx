import type { RevisionDiff } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { revisionDiffQuery } from '../../../queries.ts'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import { type WordChange, WordChanges } from '../../../ui/word-changes.tsx'

type Block = RevisionDiff['blocks'][number]

/** What has changed in a post from one version to another. */
export function ChangesSince({ postId, from, to }: { postId: string; from: number; to: number }) {
  const { data, isError, error, refetch } = useQuery(revisionDiffQuery(postId, from, to))
  if (isError) return <Problem error={error} retry={() => void refetch()} />
  if (data === undefined) return <Skeleton className="h-64" />
  const { fields, blocks } = data
  const isSameText = blocks.every(({ change }) => change === 'same')
  return (
    <section aria-label={`What has changed since version ${from}`} className="grid content-start gap-3">
      <p className="text-sm text-faint">
        {fields.length === 0 && isSameText
          ? 'Nothing in it has changed since: only its status or its schedule did.'
          : 'Struck out: removed since. Underlined: added since.'}
      </p>
      {fields.map(({ field, from: before, to: after }) => (
        <p key={field} className="[overflow-wrap:anywhere]">
          <span className="text-sm text-faint">{FIELD_NAMES[field] ?? field}: </span>
          <WordChanges words={replaced(wordsOf(before), wordsOf(after))} />
        </p>
      ))}
      {!isSameText && (
        <div className="grid gap-3 rounded-md bg-well p-4 font-serif [overflow-wrap:anywhere]">
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of one comparison never move
            <ChangedBlock key={index} block={block} />
          ))}
        </div>
      )}
    </section>
  )
}

function ChangedBlock({ block: { change, type, text = '', words } }: { block: Block }) {
  const runs = words ?? [{ change: change === 'changed' ? 'same' : change, text: text === '' ? wordless(type) : text }]
  const onlyLook = words?.every((run) => run.change === 'same')
  return (
    <div dir="auto" className={clsx('whitespace-pre-wrap [unicode-bidi:plaintext]', change === 'same' && 'text-quiet')}>
      <span className={clsx(type === 'heading' && 'text-lg font-[620]', type === 'codeBlock' && 'font-mono text-sm')}>
        <WordChanges words={runs} />
      </span>
      {onlyLook && <span className="ml-2 font-sans text-sm text-faint">(formatting or links changed)</span>}
    </div>
  )
}

/** What stands for a block without a text. */
function wordless(type: string): string {
  return type === 'image' ? '(picture)' : type === 'horizontalRule' ? '———' : `(${type})`
}

const replaced = (before: string, after: string): WordChange[] => [
  ...(before === '' ? [] : [{ change: 'removed' as const, text: before }]),
  { change: 'same', text: before === '' || after === '' ? '' : ' ' },
  ...(after === '' ? [] : [{ change: 'added' as const, text: after }]),
]

const FIELD_NAMES: Record<string, string> = {
  title: 'Title',
  slug: 'Address',
  excerpt: 'Excerpt',
  tags: 'Tags',
  meta: 'Search and social',
}

/** A field's value in words. */
function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'object' && value !== null) return Object.values(value).join(' · ')
  return String(value ?? '')
}
