import type { ListedPost, Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { type RefObject, useMemo } from 'react'
import { POST_STATUSES, type PostsSearch } from '../../addresses.ts'
import { Select } from '../../ui/field.tsx'
import { FilterChip, FilterFields, Filters, FilterTabs, filterTab, SearchInput, SiteFilter } from '../../ui/filters.tsx'

const STATUS_NAMES = { draft: 'Drafts', scheduled: 'Scheduled', published: 'Published', trash: 'Trash' } as const

type PostFiltersProps = {
  search: PostsSearch
  sites: readonly Site[]
  /** The shown posts, whose tags are offered. */
  posts: readonly ListedPost[]
  /** `replace`: without a new history entry. */
  narrow: (change: PostsSearch, replace?: boolean) => void
  onEnter: () => void
  field: RefObject<HTMLInputElement | null>
}

/** The filters and order of the list; the address holds them. */
export function PostFilters({ search, sites, posts, narrow, onEnter, field }: PostFiltersProps) {
  const tags = useMemo(() => [...new Set(posts.flatMap((post) => post.tags))].toSorted(), [posts])
  return (
    <Filters>
      <FilterTabs label="Status">
        {[undefined, ...POST_STATUSES].map((status) => (
          <Link
            key={status ?? 'all'}
            to="/posts"
            search={(before) => ({ ...before, status, page: undefined })}
            activeOptions={{ exact: true }}
            aria-current={search.status === status ? 'true' : undefined}
            className={filterTab}
          >
            {status === undefined ? 'All' : STATUS_NAMES[status]}
          </Link>
        ))}
      </FilterTabs>
      <SearchInput
        ref={field}
        label="Search posts"
        value={search.search ?? ''}
        onChange={(words) => narrow({ search: words.trim() === '' ? undefined : words }, search.search !== undefined)}
        onEnter={onEnter}
      />
      <FilterFields>
        {/* What is there from the beginning is first, and stays where it is. */}
        {search.search === undefined && (
          <Select
            aria-label="Order"
            value={search.sort ?? ''}
            onChange={({ target }) => narrow({ sort: orderOf(target.value) })}
          >
            <option value="">Newest first</option>
            <option value="updated_at">Last changed first</option>
            <option value="scheduled_at">Next scheduled first</option>
          </Select>
        )}
        <SiteFilter sites={sites} value={search.site} onChoose={(site) => narrow({ site })} />
        {search.tag !== undefined ? (
          <FilterChip name="Tag" onRemove={() => narrow({ tag: undefined })}>
            {search.tag}
          </FilterChip>
        ) : (
          tags.length > 0 && (
            <Select aria-label="Tag" value="" onChange={({ target }) => narrow({ tag: target.value })}>
              <option value="">Any tag</option>
              {tags.map((tag) => (
                <option key={tag}>{tag}</option>
              ))}
            </Select>
          )
        )}
      </FilterFields>
    </Filters>
  )
}

function orderOf(value: string): PostsSearch['sort'] {
  return value === 'updated_at' || value === 'scheduled_at' ? value : undefined
}
