import type { Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { CalendarClock, Ellipsis, FileText } from 'lucide-react'
import { stopsOf } from '../../delivery/post-stops.ts'
import { Stops } from '../../delivery/stops.tsx'
import { counted, lateness } from '../../format.ts'
import { lateSeconds } from '../../posts/late.tsx'
import { audienceText } from '../../sites/audience.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { timeOfDay } from './days.ts'
import { type Entry, isMovable } from './plan.ts'

export type EntryProps = {
  entry: Entry
  sites: readonly Site[]
  now: number
  /** Without the sites, where there is little room. */
  brief?: boolean
  onMove: (entry: Entry) => void
  /** The entry is dragged, or dropped. */
  onDrag: (entry: Entry | undefined) => void
}

/** A post on its day. If it waits for its time, it can be dragged to another day, or moved by its menu. */
export function CalendarEntry({ entry, sites, now, brief = false, onMove, onDrag }: EntryProps) {
  const { post, at } = entry
  const late = lateSeconds(post, now)
  const movable = isMovable(entry, now)
  const state = late !== undefined ? `${lateness(late)} late` : post.status === 'scheduled' ? 'Scheduled' : 'Published'
  return (
    <li
      draggable={movable}
      onDragStart={({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData('text/plain', post.title)
        onDrag(entry)
      }}
      onDragEnd={() => onDrag(undefined)}
      className={clsx(
        'group flex min-w-0 items-start gap-1 rounded-md border-l-3 py-1 pr-0.5 pl-2',
        late !== undefined
          ? 'border-failed bg-failed-wash'
          : post.status === 'scheduled'
            ? 'border-waiting bg-waiting-wash'
            : 'border-arrived bg-arrived-wash',
        movable && 'cursor-grab active:cursor-grabbing',
      )}
    >
      <div className="min-w-0 flex-1">
        <p className="figures flex flex-wrap items-center gap-x-1.5 text-xs text-quiet">
          <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
          <span className={clsx(late !== undefined ? 'font-[620] text-failed' : brief && 'sr-only')}>{state}</span>
          {brief && <Sites entry={entry} sites={sites} brief />}
        </p>
        <Link
          to="/posts/$postId"
          params={{ postId: post.id }}
          draggable={false}
          dir="auto"
          title={`${post.title}\nFor ${audienceText(post.site_ids, sites)}`}
          className="clip block rounded-sm font-serif font-[550] hover:underline"
        >
          {post.title}
        </Link>
        {!brief && (
          <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-xs break-words text-quiet">
            <Sites entry={entry} sites={sites} />
          </p>
        )}
      </div>
      {movable && (
        <Menu trigger={<IconButton label={`More for ${post.title}`} size="xs" icon={<Ellipsis />} />}>
          <MenuItem icon={<CalendarClock />} onSelect={() => onMove(entry)}>
            Move to…
          </MenuItem>
          <MenuItem asChild>
            <Link to="/posts/$postId" params={{ postId: post.id }}>
              <FileText />
              Open
            </Link>
          </MenuItem>
        </Menu>
      )}
    </li>
  )
}

/** How the post stands at its sites, and which these are; `brief`: one of the two. */
function Sites({ entry: { post }, sites, brief = false }: Pick<EntryProps, 'entry' | 'sites' | 'brief'>) {
  const stops = stopsOf(post, sites)
  const { site_ids: ids } = post
  const short = ids === null ? 'All sites' : counted(ids.length, 'site')
  return (
    <>
      {stops.length > 0 && <Stops stops={stops} />}
      {brief ? stops.length === 0 && short : ids === null ? short : audienceText(ids, sites)}
    </>
  )
}
