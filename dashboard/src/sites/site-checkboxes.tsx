import type { Site } from '@postrider/sdk'
import { Checkbox } from '../ui/choice.tsx'

type SiteCheckboxesProps = {
  sites: readonly Site[]
  isTicked: (id: string) => boolean
  isLocked?: (site: Site) => boolean
  /** What would happen at a site, or what it has; otherwise its address is shown. */
  noteOf?: ((site: Site) => string | undefined) | undefined
  onToggle: (id: string) => void
}

/** A list of sites to tick, as high as a dialog allows. */
export function SiteCheckboxes({ sites, isTicked, isLocked, noteOf, onToggle }: SiteCheckboxesProps) {
  return (
    <div className="grid max-h-72 grid-cols-1 gap-2.5 overflow-y-auto p-0.5">
      {sites.map((site) => (
        <Checkbox
          key={site.id}
          name="site"
          label={<bdi className="break-words">{site.name}</bdi>}
          hint={noteOf?.(site) ?? URL.parse(site.url)?.host ?? site.url}
          checked={isTicked(site.id)}
          disabled={isLocked?.(site) ?? false}
          onChange={() => onToggle(site.id)}
        />
      ))}
    </div>
  )
}
