import type { ListedPost, Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { memo } from 'react'
import { stopsOf } from '../../delivery/post-stops.ts'
import { Stops } from '../../delivery/stops.tsx'
import { counted } from '../../format.ts'
import { LateBadge } from '../../posts/late.tsx'
import { POST_STATUSES } from '../../posts/status.ts'
import type { Rows } from '../../shell/rows.ts'
import { audienceText } from '../../sites/audience.ts'
import { Badge } from '../../ui/badge.tsx'
import { Tick } from '../../ui/choice.tsx'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Skeleton } from '../../ui/placeholder.tsx'
import { Table, Td, Th, Tr } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'

type PostTableProps = {
  /** Undefined while they are loading. */
  posts: readonly ListedPost[] | undefined
  sites: readonly Site[] | undefined
  rows: Rows<ListedPost>
  /** The table still shows the previous query. */
  busy: boolean
}

const NO_SITES: Site[] = []

/** Posts in rows. */
export function PostTable({ posts, sites = NO_SITES, rows, busy }: PostTableProps) {
  const chosen = posts?.filter(({ id }) => rows.chosen.has(id)).length ?? 0
  return (
    <Table label="Posts" busy={posts === undefined || busy}>
      <thead>
        <tr>
          <Th>
            <Tick
              aria-label="Select all posts on this page"
              checked={chosen > 0 && chosen === posts?.length}
              partly={chosen > 0 && chosen < (posts?.length ?? 0)}
              disabled={posts === undefined}
              onChange={rows.toggleAll}
            />
          </Th>
          <Th grow>Title</Th>
          <Th from="sm">Sites</Th>
          <Th from="md">Status</Th>
          <Th from="lg">Updated</Th>
        </tr>
      </thead>
      <tbody>
        {posts === undefined
          ? [...'abcdefghij'].map((row) => <Waiting key={row} />)
          : posts.map((post) => (
              <PostRow
                key={post.id}
                post={post}
                sites={sites}
                chosen={rows.chosen.has(post.id)}
                current={rows.current === post.id}
                toggle={rows.toggle}
                enter={rows.enter}
              />
            ))}
      </tbody>
    </Table>
  )
}

type PostRowProps = Pick<Rows<ListedPost>, 'toggle' | 'enter'> & {
  post: ListedPost
  sites: readonly Site[]
  chosen: boolean
  current: boolean
}

/** Renders again only when its own props change: a key that moves between rows touches two of fifty. */
const PostRow = memo(function PostRow({ post, sites, chosen, current, toggle, enter }: PostRowProps) {
  const stops = stopsOf(post, sites)
  return (
    <Tr
      selected={chosen}
      data-row={post.id}
      {...(current ? { 'data-current': '' } : {})}
      onFocus={() => enter(post.id)}
    >
      <Td>
        <Tick
          aria-label={`Select ${post.title}`}
          checked={chosen}
          onChange={({ nativeEvent }) => toggle(post, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </Td>
      <Td grow>
        {post.trashed_at === undefined ? (
          <NameLink
            to="/posts/$postId"
            params={{ postId: post.id }}
            data-open
            name={post.title}
            className={POST_NAME}
          />
        ) : (
          <span dir="auto" className={clsx('clip block', POST_NAME)}>
            {post.title}
          </span>
        )}
        <div className="flex min-w-0 items-center gap-2 text-sm text-faint max-sm:flex-wrap">
          <span className="shrink-0 md:hidden">
            <Status post={post} brief />
          </span>
          <span className="flex sm:hidden">
            <Stops stops={stops} />
          </span>
          <Tags tags={post.tags} />
        </div>
      </Td>
      <Td from="sm">
        <span className="flex">
          <Stops stops={stops} />
        </span>
        {stops.length === 0 && post.site_ids !== null && (
          <span className="text-sm text-faint" title={`For ${audienceText(post.site_ids, sites)}`}>
            {counted(post.site_ids.length, 'site')}
          </span>
        )}
      </Td>
      <Td from="md">
        <Status post={post} />
      </Td>
      <Td from="lg">
        <span className="text-quiet">
          <Ago at={post.updated_at} />
        </span>
      </Td>
    </Tr>
  )
})

const SHOWN_TAGS = 3

/** The first tags, as links that filter the list. */
function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span className="flex min-w-0 gap-2 max-sm:hidden">
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <Link
          key={tag}
          to="/posts"
          search={(before) => ({ ...before, tag, page: undefined })}
          title={`Only posts with the tag ${tag}`}
          dir="auto"
          className="clip max-w-40 min-w-6 rounded-sm py-0.5 hover:text-ink hover:underline"
        >
          {tag}
        </Link>
      ))}
      {tags.length > SHOWN_TAGS && <span>+{tags.length - SHOWN_TAGS}</span>}
    </span>
  )
}

/** A post's status, and since or until when. `brief`: in a line of small text. */
function Status({ post, brief = false }: { post: ListedPost; brief?: boolean }) {
  const { name, tone } = POST_STATUSES[post.status]
  const at = { draft: null, scheduled: post.scheduled_at, published: post.published_at, trash: post.trashed_at }[
    post.status
  ]
  const when = at != null && <Ago at={at} />
  if (brief) {
    return (
      <>
        {name} {when} <LateBadge post={post} />
      </>
    )
  }
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <Badge tone={tone}>{name}</Badge>
      <LateBadge post={post} />
      {post.has_changes && <Badge tone="waiting">Edited</Badge>}
      <span className="text-sm text-faint">{when}</span>
    </span>
  )
}

function Waiting() {
  return (
    <tr>
      <Td>
        <Skeleton className="size-4.5" />
      </Td>
      <Td grow>
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="mt-2 h-3 w-1/4" />
      </Td>
      <Td from="sm">
        <Skeleton className="h-3.5 w-10" />
      </Td>
      <Td from="md">
        <Skeleton className="h-4 w-28" />
      </Td>
      <Td from="lg">
        <Skeleton className="h-4 w-20" />
      </Td>
    </tr>
  )
}
