/** Changes which site has the original of a post, and says what each site is told. */
import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery, canonicalQuery, setUsualOriginal, sitesQuery } from '../../../queries.ts'
import { OriginalChoice } from '../../../sites/original-choice.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { notStored } from './publishing-form.tsx'
import { refreshDeliveries } from './use-sending.ts'

type OriginalDialogProps = { openPost: OpenPost; view: View; onClose: () => void }

/** Asks which site has the original; for a published post it says what follows. */
export function OriginalDialog({ openPost, view, onClose }: OriginalDialogProps) {
  const sites = useQuery(sitesQuery).data?.sites ?? []
  const usual = useQuery(accountQuery).data?.primary_site_id ?? null
  const [before] = useState(view.post?.primary_site_id ?? null)
  const [original, setOriginal] = useState(before)
  const [remembers, setRemembers] = useState(false)
  const act = async () => {
    if (original !== before && !(await openPost.arrange({ primary_site_id: original })))
      throw new Error(notStored(openPost.view()))
    if (remembers && original !== usual) await setUsualOriginal(original)
    if (original !== before) await refreshDeliveries(openPost)
  }
  return (
    <Confirm open onOpenChange={onClose} title="Which site has the original?" verb="Save" danger={false} act={act}>
      <div className="grid grid-cols-1 gap-4 text-ink">
        <OriginalChoice
          sites={sites}
          audience={view.post?.site_ids ?? null}
          authored={view.draft.canonicalUrl}
          usual={usual}
          value={original}
          onChange={setOriginal}
          remember={[remembers, setRemembers]}
        />
        {original !== before && view.post?.status === 'published' && (
          <p className="text-quiet">Sites that were told of another address get an update. The text stays as it is.</p>
        )}
        {original === before && view.post !== undefined && <Explained postId={view.post.id} sites={sites} />}
      </div>
    </Confirm>
  )
}

/** The address that each site is told, and why. */
function Explained({ postId, sites }: { postId: string; sites: readonly Site[] }) {
  const { data } = useQuery(canonicalQuery(postId))
  if (data === undefined || data.sites.every(({ source }) => source === 'none')) return null
  const names = new Map(sites.map(({ id, name }) => [id, name]))
  return (
    <section aria-label="What each site is told">
      <p className="mb-1 font-[550]">What each site is told</p>
      <ul className="grid grid-cols-1">
        {data.sites.map(({ site_id: id, canonical_url: url, source, problem }) => (
          <li key={id} className="border-b border-line py-2 last:border-0 last:pb-0">
            <p dir="auto" className="clip">
              {names.get(id)}
            </p>
            <p className="text-sm wrap-anywhere text-quiet">{url ?? 'No address'}</p>
            <p className="text-sm text-faint">{problem ?? SOURCES[source]}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SOURCES = {
  author: 'You gave it to the post.',
  primary_live: 'The site of the original said so.',
  primary_pattern: 'It follows from the settings of the original’s site.',
  own_live: 'Its own address, as it said.',
  own_pattern: 'Its own address, as its settings say.',
  unknown: 'It is not known yet.',
  none: 'The post has no original.',
}
