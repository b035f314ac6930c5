/** What comes of a file: in numbers, by kind of loss, and by post. */
import type { ImportedPost, ImportWithReport, ListImportedPosts } from '@postrider/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { counted, number } from '../../format.ts'
import { importedPostsQuery, queryClient } from '../../queries.ts'
import { Sheet } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'

const COUNTS = [
  ['new', 'New'],
  ['changed', 'Changed'],
  ['same', 'Here already'],
  ['refused', 'Not imported'],
] as const

export function Report({ one: { import_id: id, report, status } }: { one: ImportWithReport }) {
  return (
    <>
      <Sheet title="What is in the file">
        <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
          {COUNTS.map(([name, label]) => (
            <div key={name}>
              <dt className="text-sm text-quiet">{label}</dt>
              <dd className="text-2xl font-[650]">{number(report[name])}</dd>
            </div>
          ))}
        </dl>
        <ul className="mt-4 grid gap-1 text-sm text-quiet">
          {report.pictures > 0 && (
            <li>
              {counted(report.pictures, 'picture')} for your library: those of the file come along, and those that are
              copied.
            </li>
          )}
          {report.media > 0 && (
            <li>
              {counted(report.media, 'picture or file', 'pictures and files')} on other hosts: they stay there unless
              they are copied, and posts go on showing them.
            </li>
          )}
          {report.redirects > 0 && (
            <li>{counted(report.redirects, 'former address', 'former addresses')} lead to the new ones.</li>
          )}
          {report.authors.length > 0 && (
            <li>
              Written by {report.authors.map(({ name, posts }) => `${name} (${number(posts)})`).join(', ')}. Posts here
              have no authors.
            </li>
          )}
        </ul>
      </Sheet>
      {report.lossy > 0 && (
        <Sheet title="What is lost or different" aside={counted(report.lossy, 'post')}>
          <ul className="mb-4 grid gap-1.5">
            {report.losses.map(({ message, posts }) => (
              <li key={message} className="flex items-baseline justify-between gap-4">
                <span className="min-w-0 break-words">{message}</span>
                <span className="shrink-0 text-sm text-quiet">{counted(posts, 'post')}</span>
              </li>
            ))}
          </ul>
          <PostsOf id={id} status={status} query={{ lossy: 'true' }} label="By post" />
        </Sheet>
      )}
      {report.refused > 0 && (
        <Sheet title="Not imported" aside={counted(report.refused, 'entry', 'entries')}>
          <PostsOf id={id} status={status} query={{ outcome: 'refused' }} label="Why" isOpen />
        </Sheet>
      )}
    </>
  )
}

const PER_PAGE = 20
type PageOfProps = { id: string; status: ImportWithReport['status']; query: ListImportedPosts }
type PostsOfProps = PageOfProps & { label: string; isOpen?: boolean }

function PostsOf({ label, isOpen = false, ...of }: PostsOfProps) {
  const [isShown, setShown] = useState(isOpen)
  return (
    <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary className="cursor-default text-sm font-[550]">{label}</summary>
      {isShown && <PageOf {...of} />}
    </details>
  )
}

function PageOf({ id, status, query }: PageOfProps) {
  const [page, setPage] = useState(1)
  const queryOf = (at: number) => importedPostsQuery(id, status, { ...query, page: at, limit: PER_PAGE })
  const list = useQuery({ ...queryOf(page), placeholderData: keepPreviousData })
  if (list.isError) return <Problem error={list.error} retry={() => void list.refetch()} />
  if (list.data === undefined) return <Skeleton className="mt-3 h-24" />
  return (
    <>
      <ul className="mt-3 grid gap-3">
        {list.data.data.map((post) => (
          <Entry key={post.place} post={post} />
        ))}
      </ul>
      {list.data.pagination.pages > 1 && (
        <Pager
          {...list.data.pagination}
          noun="post"
          onTurn={setPage}
          onIntent={(at) => void queryClient.prefetchQuery(queryOf(at))}
        />
      )}
    </>
  )
}

function Entry({ post: { title, reason, losses, post_id: postId } }: { post: ImportedPost }) {
  const name = title === '' ? 'Untitled' : title
  return (
    <li>
      <p className="font-[550] break-words">
        {postId === null ? (
          name
        ) : (
          <Link to="/posts/$postId" params={{ postId }} className="underline-offset-3 hover:underline">
            {name}
          </Link>
        )}
      </p>
      {reason !== null && <p className="text-sm text-quiet">{reason}</p>}
      {losses.map(({ message, count }) => (
        <p key={message} className="text-sm break-words text-quiet">
          {message} {count > 1 && `(${number(count)}×)`}
        </p>
      ))}
    </li>
  )
}
