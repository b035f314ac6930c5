import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { dateAndTime } from '../../format.ts'
import { postListQuery } from '../../queries.ts'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Problem, Skeleton } from '../../ui/placeholder.tsx'
import { Ago } from '../../ui/time.tsx'

/** The scheduled posts that go out next. */
export const nextPostsQuery = postListQuery({ status: 'scheduled', sort: 'scheduled_at', limit: 5 })

/** What goes out next, and when. */
export function NextPosts() {
  const { data, isError, error, refetch } = useQuery(nextPostsQuery)
  return (
    <Sheet
      title="Next"
      aside={
        <Link
          to="/posts"
          search={{ status: 'scheduled', sort: 'scheduled_at' }}
          className="rounded-sm hover:text-ink hover:underline"
        >
          The schedule
        </Link>
      }
    >
      {data === undefined ? (
        isError ? (
          <Problem error={error} retry={() => void refetch()} />
        ) : (
          <Skeleton className="h-6 w-1/2" />
        )
      ) : data.data.length === 0 ? (
        <p className="text-quiet">Nothing is scheduled.</p>
      ) : (
        <ol className="-my-2.5">
          {data.data.map(({ id, title, scheduled_at: at }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-2.5 last:border-0">
              <NameLink
                to="/posts/$postId"
                params={{ postId: id }}
                name={title}
                className={clsx(POST_NAME, 'flex-1 basis-60')}
              />
              {at !== null && (
                <span className="text-sm text-faint">
                  <Ago at={at} /> · {dateAndTime(at)}
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </Sheet>
  )
}
