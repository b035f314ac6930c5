/** The posts of the overview: what is being written, what has just gone out, and what goes out next. */
import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PostsSearch } from '../../addresses.ts'
import { stopsOf } from '../../delivery/post-stops.ts'
import { Stops } from '../../delivery/stops.tsx'
import { dateAndTime } from '../../format.ts'
import { postListQuery } from '../../queries.ts'
import { Ago } from '../../ui/time.tsx'
import { PostLines } from './post-lines.tsx'

/** The drafts that were changed last. */
export const draftsQuery = postListQuery({ status: 'draft', sort: 'updated_at', limit: 3 })

/** The published posts that were changed last, by their publication or since. */
export const publishedQuery = postListQuery({ status: 'published', sort: 'updated_at', limit: 5 })

/** The scheduled posts that go out next. */
export const nextPostsQuery = postListQuery({ status: 'scheduled', sort: 'scheduled_at', limit: 5 })

/** Drafts to go on with; hidden while there are none. */
export function ContinueWriting() {
  return (
    <PostLines
      title="Continue writing"
      aside={<All search={{ status: 'draft', sort: 'updated_at' }}>All drafts</All>}
      posts={useQuery(draftsQuery)}
      note={({ updated_at: at }) => (
        <span>
          Edited <Ago at={at} />
        </span>
      )}
    />
  )
}

/** What was published last, and how it stands at each site; hidden while there is nothing. */
export function JustPublished({ sites }: { sites: readonly Site[] }) {
  return (
    <PostLines
      title="Just published"
      aside={<All search={{ status: 'published' }}>All published posts</All>}
      posts={useQuery(publishedQuery)}
      note={(post) => (
        <>
          <Stops stops={stopsOf(post, sites)} />
          {post.published_at !== null && <Ago at={post.published_at} />}
        </>
      )}
    />
  )
}

/** What goes out next, and when. */
export function NextPosts() {
  return (
    <PostLines
      title="Scheduled"
      aside={<All search={{ status: 'scheduled', sort: 'scheduled_at' }}>Full schedule</All>}
      posts={useQuery(nextPostsQuery)}
      none="Nothing is scheduled."
      note={({ scheduled_at: at }) =>
        at !== null && (
          <span>
            <Ago at={at} /> · {dateAndTime(at)}
          </span>
        )
      }
    />
  )
}

function All({ search, children }: { search: PostsSearch; children: string }) {
  return (
    <Link to="/posts" search={search} className="rounded-sm hover:text-ink hover:underline">
      {children}
    </Link>
  )
}
