import type { Site } from '@postrider/sdk'
import { useState } from 'react'
import type { Holding } from '../../../delivery/holding.ts'

type Offer = {
  sites: readonly Site[]
  /** The sites that were sent the post, with what each has of it. */
  having: ReadonlyMap<string, Holding>
  published: boolean
  /** Whether there is a change, which sites that were sent the post get in any case. */
  updates: boolean
  later: boolean
}

/** The sites that are ticked, and those of them that cannot be changed. A new post goes to all sites unless some are unticked. */
export function useSiteSelection({ sites, having, published, updates, later }: Offer) {
  const open = sites.filter(({ status }) => status !== 'inactive').map(({ id }) => id)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(published ? [] : open))
  const getsChange = (id: string) => updates && having.has(id)
  const isTicked = (id: string) => getsChange(id) || (open.includes(id) && (later || chosen.has(id)))
  return {
    /** The sites that are not paused. */
    open,
    ticked: new Set(sites.map(({ id }) => id).filter(isTicked)),
    locked: (id: string) => later || getsChange(id),
    toggle(id: string) {
      const next = new Set(chosen)
      if (!next.delete(id)) next.add(id)
      setChosen(next)
    },
    all: (all: boolean) => setChosen(new Set(all ? open : [])),
  }
}
