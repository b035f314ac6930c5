import type { Site } from '@postrider/sdk'
import { useState } from 'react'
import type { Holding } from '../../../delivery/holding.ts'

type Offer = {
  sites: readonly Site[]
  /** The sites that were sent the post, with what each has of it. */
  having: ReadonlyMap<string, Holding>
  /** Whether there is a change, which sites that were sent the post get in any case. */
  updates: boolean
}

/** The sites that a published post is sent to, and those of them that cannot be changed. */
export function useSiteSelection({ sites, having, updates }: Offer) {
  const open = sites.filter(({ status }) => status !== 'inactive').map(({ id }) => id)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const getsChange = (id: string) => updates && having.has(id)
  const isTicked = (id: string) => getsChange(id) || (open.includes(id) && chosen.has(id))
  return {
    ticked: new Set(sites.map(({ id }) => id).filter(isTicked)),
    locked: getsChange,
    toggle(id: string) {
      const next = new Set(chosen)
      if (!next.delete(id)) next.add(id)
      setChosen(next)
    },
    all: (all: boolean) => setChosen(new Set(all ? open : [])),
  }
}
