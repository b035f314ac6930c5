/** The pictures of the account in a grid, searched and paged; the screen and the dialog that chooses one show it. */
import type { Medium } from '@postrider/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Image, SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { mediaQuery } from '../queries.ts'
import { Button } from '../ui/button.tsx'
import { SearchInput } from '../ui/filters.tsx'
import { Empty, Problem, Skeleton } from '../ui/placeholder.tsx'
import { shownAt } from './upload.ts'

type LibraryProps = { onChoose: (medium: Medium) => void; upload: ReactNode; dense?: boolean }

/** The grid. `upload`: what to offer while there is none. */
export function Library({ onChoose, upload, dense = false }: LibraryProps) {
  const [search, setSearch] = useState('')
  const query = useInfiniteQuery(mediaQuery(search.trim()))
  const media = query.data?.pages.flatMap((page) => page.media) ?? []
  const grid = dense
    ? 'grid grid-cols-2 gap-3 sm:grid-cols-3 md:grid-cols-4'
    : 'grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-4 xl:grid-cols-5'
  return (
    <div className="grid grid-cols-1 gap-4">
      {(media.length > 0 || search !== '') && (
        <search className="flex">
          <SearchInput label="Search pictures" value={search} onChange={setSearch} />
        </search>
      )}
      {query.isError && query.data === undefined ? (
        <Problem error={query.error} retry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <div className={grid} aria-busy="true">
          {[1, 2, 3, 4].map((key) => (
            <Skeleton key={key} className="aspect-[4/3] rounded-lg" />
          ))}
        </div>
      ) : media.length > 0 ? (
        <ul className={grid}>
          {media.map((medium) => (
            <Card key={medium.id} medium={medium} onChoose={() => onChoose(medium)} />
          ))}
        </ul>
      ) : search === '' ? (
        <Empty picture={<Image />} title="There are no pictures yet" action={upload}>
          Upload some here, or drop them into a text. They stay with Postrider, and your sites get their addresses.
        </Empty>
      ) : (
        <Empty
          picture={<SearchX />}
          title="No picture matches"
          action={<Button onClick={() => setSearch('')}>Show all pictures</Button>}
        >
          None has these words in its name or its description.
        </Empty>
      )}
      {query.hasNextPage && (
        <div className="flex justify-center">
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function Card({ medium, onChoose }: { medium: Medium; onChoose: () => void }) {
  const { name, alt, width, height, used_in: uses } = medium
  return (
    <li className="min-w-0">
      <button
        type="button"
        onClick={onChoose}
        className="group grid w-full grid-cols-1 gap-2 rounded-lg bg-sheet p-2 text-left shadow-sheet ring-1 ring-line hover:ring-edge"
      >
        <img
          src={shownAt(medium, 320)}
          alt={alt}
          loading="lazy"
          className="block aspect-[4/3] w-full rounded-md bg-well object-contain"
        />
        <span className="grid min-w-0 grid-cols-1 px-1 pb-1">
          <span dir="auto" className="clip font-[550]">
            {name}
          </span>
          <span className="figures clip text-sm text-faint">
            {width} × {height}
            {uses.length === 0 ? ' · not used' : alt === '' ? ' · no description' : ''}
          </span>
        </span>
      </button>
    </li>
  )
}
