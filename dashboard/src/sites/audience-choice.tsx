import type { Site } from '@postrider/sdk'
import { useId, useState } from 'react'
import { counted } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Radio } from '../ui/choice.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Audience } from './audience.ts'
import { SiteCheckboxes } from './site-checkboxes.tsx'

type AudienceChoiceProps = {
  sites: readonly Site[]
  value: Audience
  onChange: (audience: Audience) => void
  /** What would happen at a site, or what it has; otherwise its address is shown. */
  noteOf?: ((site: Site) => string | undefined) | undefined
  /** A further choice before these; while it is chosen, the value is not. */
  other?: { label: string; hint: string; chosen: boolean; onChoose: () => void }
}

/** Which sites a post is for: all, also later ones, or some. */
export function AudienceChoice({ sites, value, onChange, noteOf, other }: AudienceChoiceProps) {
  const group = useId()
  // Who looks at all and comes back finds the same sites ticked.
  const [ticked, setTicked] = useState<readonly string[]>(() => value ?? sites.map(({ id }) => id))
  const choose = (ids: readonly string[]) => {
    setTicked(ids)
    onChange(ids)
  }
  const isOther = other?.chosen === true
  const isChosen = value !== null && !isOther
  if (sites.length === 0 && value === null)
    return (
      <Notice title="No site is connected yet">
        The post is published all the same: sites that you connect later can fetch it.
      </Notice>
    )
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="mb-2 font-[550]">Where</legend>
      {other !== undefined && (
        <Radio name={group} label={other.label} hint={other.hint} checked={isOther} onChange={other.onChoose} />
      )}
      <Radio
        name={group}
        label="All sites"
        hint={`Also those you add later${pausedWords(sites)}`}
        checked={value === null && !isOther}
        onChange={() => onChange(null)}
      />
      <Radio name={group} label="Chosen sites" checked={isChosen} onChange={() => onChange(ticked)} />
      {isChosen && <Sites sites={sites} ticked={value} onChoose={choose} noteOf={noteOf} />}
    </fieldset>
  )
}

/** Which sites are passed over for now. */
function pausedWords(sites: readonly Site[]): string {
  const [one, ...more] = sites.filter(({ status }) => status === 'inactive')
  if (one === undefined) return ''
  return more.length === 0
    ? `. ${one.name} is paused and does not get it now`
    : `. ${counted(more.length + 1, 'site')} are paused and do not get it now`
}

type SitesProps = Pick<AudienceChoiceProps, 'sites' | 'noteOf'> & {
  ticked: readonly string[]
  onChoose: (ids: readonly string[]) => void
}

function Sites({ sites, ticked, onChoose, noteOf }: SitesProps) {
  const isAll = ticked.length === sites.length
  const toggle = (id: string) => onChoose(ticked.includes(id) ? ticked.filter((one) => one !== id) : [...ticked, id])
  return (
    <div className="grid grid-cols-1 gap-1 pl-3">
      <SiteCheckboxes sites={sites} isTicked={(id) => ticked.includes(id)} noteOf={noteOf} onToggle={toggle} />
      {sites.length > 1 && (
        <span>
          <Button size="sm" kind="quiet" onClick={() => onChoose(isAll ? [] : sites.map(({ id }) => id))}>
            {isAll ? 'Select none' : 'Select all'}
          </Button>
        </span>
      )}
    </div>
  )
}
