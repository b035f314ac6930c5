/** All posts, and what can be done to many of them. */

import type { ListedPost, ListSummaries } from '@postrider/sdk'
import { TRASH_DAYS } from '@postrider/server/posts/policy'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUpDown, Ellipsis, FileSearch, PenLine, Plus, Trash2 } from 'lucide-react'
import { useDeferredValue, useRef } from 'react'
import type { PostsSearch } from '../addresses.ts'
import { postListQuery, queryClient, sitesQuery } from '../queries.ts'
import { useAction } from '../shell/actions.ts'
import { useRows } from '../shell/rows.ts'
import { Button, buttonLook, IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Page, Sheet } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Empty, Problem } from '../ui/placeholder.tsx'
import { BulkBar } from './posts/bulk.tsx'
import { PostFilters } from './posts/filters.tsx'
import { PostTable } from './posts/table.tsx'

const PER_PAGE = 50
const NO_POSTS: ListedPost[] = []

/** The query for the service. */
function askedOf({ search, status, tag, site, sort, page }: PostsSearch): ListSummaries {
  const asked = { search, status, tag, site_id: site, sort, page, limit: PER_PAGE }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

export function Posts() {
  const search = useSearch({ from: '/inside/posts' })
  const navigate = useNavigate({ from: '/posts' })
  const list = useQuery({ ...postListQuery(askedOf(search)), placeholderData: keepPreviousData })
  const { data: connected, isPending: isSitesPending } = useQuery(sitesQuery)
  const sites = connected?.sites
  // Fifty rows render with low priority, so that what changed them (the pressed tab, the typed letter) shows first. They come with
  // the sites, which make some of them higher.
  const shown = useDeferredValue(isSitesPending ? undefined : list.data)
  const posts = shown?.data ?? NO_POSTS
  const rows = useRows(posts, 'post')
  const searchField = useRef<HTMLInputElement>(null)
  useAction({ does: 'Search posts', group: 'Posts', keys: '/' }, () => {
    searchField.current?.focus()
    searchField.current?.select()
  })

  const narrow = (change: PostsSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...change }), replace })
  const clear = () => void navigate({ search: (before) => ({ sort: before.sort }) })
  const turnTo = (page: number) => void navigate({ search: (before) => ({ ...before, page }) })

  const { pagination } = shown ?? {}
  const isNarrowed = [search.search, search.status, search.tag, search.site].some((value) => value !== undefined)
  const isTrash =
    search.status === 'trash' && [search.search, search.tag, search.site].every((value) => value === undefined)
  const isFirst = pagination?.total === 0 && !isNarrowed
  return (
    <Page
      title="Posts"
      actions={
        !isFirst && (
          <>
            <Menu trigger={<IconButton label="More" kind="secondary" icon={<Ellipsis />} />}>
              <MenuItem asChild>
                <Link to="/import">
                  <ArrowUpDown aria-hidden="true" />
                  Import and export
                </Link>
              </MenuItem>
            </Menu>
            <Link to="/posts/generate" className={buttonLook({ kind: 'secondary' })}>
              Draft from a topic
            </Link>
            <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind: 'primary' })}>
              <Plus aria-hidden="true" />
              New post
            </Link>
          </>
        )
      }
    >
      {rows.chosen.size > 0 && <BulkBar posts={[...rows.chosen.values()]} clear={rows.clear} />}
      <Sheet flush>
        {!isFirst && (
          <PostFilters
            search={search}
            sites={sites ?? []}
            posts={posts}
            narrow={narrow}
            onEnter={() => document.querySelector<HTMLElement>('[data-row] [data-open]')?.focus()}
            field={searchField}
          />
        )}
        {list.isError && shown === undefined ? (
          <Problem error={list.error} retry={() => void list.refetch()} />
        ) : isFirst ? (
          <FirstPost />
        ) : pagination?.total === 0 && isTrash ? (
          <Empty picture={<Trash2 />} title="The trash is empty">
            What you delete stays here for {TRASH_DAYS} days.
          </Empty>
        ) : pagination?.total === 0 ? (
          <Empty
            picture={<FileSearch />}
            title="No post matches"
            action={<Button onClick={clear}>Show all posts</Button>}
          >
            Try other words, or fewer filters.
          </Empty>
        ) : pagination !== undefined && posts.length === 0 ? (
          <Empty title="This page is empty" action={<Button onClick={() => turnTo(1)}>Go to the first page</Button>}>
            There are {pagination.pages} pages now.
          </Empty>
        ) : (
          <PostTable
            key={shown === undefined ? 'waiting' : 'known'}
            posts={shown === undefined ? undefined : posts}
            sites={sites}
            rows={rows}
            busy={list.isPlaceholderData}
          />
        )}
        {pagination !== undefined && posts.length > 0 && (
          <Pager
            {...pagination}
            noun="post"
            onTurn={turnTo}
            onIntent={(page) => void queryClient.prefetchQuery(postListQuery(askedOf({ ...search, page })))}
          />
        )}
      </Sheet>
    </Page>
  )
}

function FirstPost() {
  return (
    <Empty
      picture={<PenLine />}
      title="No posts yet"
      action={
        <>
          <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind: 'primary' })}>
            Write your first post
          </Link>
          <Link to="/posts/generate" className={buttonLook({ kind: 'secondary' })}>
            Draft one from a topic
          </Link>
          <Link to="/import" className={buttonLook({ kind: 'secondary' })}>
            Import from elsewhere
          </Link>
        </>
      }
    >
      What you write appears here, with a mark for every site that has it.
    </Empty>
  )
}
