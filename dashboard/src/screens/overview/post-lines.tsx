import type { ListedPost, ListedPostPage } from '@postrider/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'

type PostLinesProps = {
  title: string
  aside: ReactNode
  posts: UseQueryResult<ListedPostPage>
  /** Shown while there are none; without it the whole sheet is hidden then. */
  none?: string
  /** What stands beside a post's title. */
  note: (post: ListedPost) => ReactNode
}

/** A few posts, a line each. */
export function PostLines({ title, aside, posts: { data, isError, error, refetch }, none, note }: PostLinesProps) {
  if (data?.data.length === 0 && none === undefined) return null
  return (
    <Sheet title={title} aside={aside}>
      {data === undefined ? (
        isError ? (
          <Problem error={error} retry={() => void refetch()} />
        ) : (
          <Skeleton className="h-6 w-1/2" />
        )
      ) : data.data.length === 0 ? (
        <p className="text-quiet">{none}</p>
      ) : (
        <ul className="-my-2.5">
          {data.data.map((post) => (
            <li
              key={post.id}
              className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5 last:border-0"
            >
              <NameLink
                to="/posts/$postId"
                params={{ postId: post.id }}
                name={post.title}
                className={clsx(POST_NAME, 'flex-1 basis-60')}
              />
              <span className="flex flex-wrap items-center gap-x-3 text-sm text-faint">{note(post)}</span>
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  )
}
