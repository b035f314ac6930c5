import type { Site } from '@postrider/sdk'
import { type Holding, holdingText } from '../../../delivery/holding.ts'
import { SiteCheckboxes } from '../../../sites/site-checkboxes.tsx'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'

type SitesProps = {
  sites: readonly Site[]
  hint: string
  /** The sites that were sent the post, with what each has of it. */
  having: ReadonlyMap<string, Holding>
  /** Whether there is a change, which sites that were sent the post get in any case. */
  updates: boolean
  ticked: ReadonlySet<string>
  locked: (id: string) => boolean
  onToggle: (id: string) => void
  onAll: (all: boolean) => void
}

/** The sites to tick, each with what would happen there. */
export function SiteChoice({ sites, hint, having, updates, ticked, locked, onToggle, onAll }: SitesProps) {
  if (sites.length === 0)
    return (
      <Notice title="No site is connected yet">Sites that you connect later can fetch the post by themselves.</Notice>
    )
  const free = sites.filter(({ id, status }) => status !== 'inactive' && !locked(id))
  const all = free.every(({ id }) => ticked.has(id))
  return (
    <fieldset className="relative grid grid-cols-1 gap-2">
      <legend className="mb-2 font-[550]">Sites</legend>
      {free.length > 1 && (
        <span className="absolute -top-9 right-0">
          <Button size="sm" kind="quiet" onClick={() => onAll(!all)}>
            {all ? 'None' : 'All'}
          </Button>
        </span>
      )}
      <SiteCheckboxes
        sites={sites}
        isTicked={(id) => ticked.has(id)}
        isLocked={({ id, status }) => status === 'inactive' || locked(id)}
        noteOf={(site) => noteOf(site, having.get(site.id), updates)}
        onToggle={onToggle}
      />
      <p className="text-sm text-faint">{hint}</p>
    </fieldset>
  )
}

function noteOf({ status }: Site, holding: Holding | undefined, updates: boolean): string | undefined {
  if (status === 'inactive')
    return holding !== undefined && updates ? 'Paused: gets the update once it is active again' : 'Paused'
  if (holding !== undefined) return holdingText(holding, updates)
  return status === 'error' ? 'Its last deliveries failed' : undefined
}
