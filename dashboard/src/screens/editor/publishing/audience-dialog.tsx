/** Changes which sites a post is for. */
import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { sitesQuery } from '../../../queries.ts'
import { type Audience, audienceChange, isSameAudience, sitesText } from '../../../sites/audience.ts'
import { AudienceChoice } from '../../../sites/audience-choice.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { Notice } from '../../../ui/notice.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { notStored } from './publishing-form.tsx'
import { refreshDeliveries } from './use-sending.ts'

type AudienceDialogProps = { openPost: OpenPost; view: View; onClose: () => void }

/** Asks which sites the post is for; for a published one it says what follows at once. */
export function AudienceDialog({ openPost, view, onClose }: AudienceDialogProps) {
  const sites = useQuery(sitesQuery).data?.sites ?? []
  const [before] = useState<Audience>(view.post?.site_ids ?? null)
  const [audience, setAudience] = useState(before)
  const published = view.post?.status === 'published'
  const act = async () => {
    if (!isSameAudience(before, audience)) await arrangeSites(openPost, audience)
  }
  return (
    <Confirm open onOpenChange={onClose} title="Which sites is it for?" verb="Save" danger={false} act={act}>
      <div className="grid grid-cols-1 gap-4 text-ink">
        <AudienceChoice sites={sites} value={audience} onChange={setAudience} />
        {published ? (
          <Consequences before={before} after={audience} sites={sites} />
        ) : (
          audience?.length === 0 && <p className="text-quiet">Without any site, nobody gets it when it is published.</p>
        )}
      </div>
    </Confirm>
  )
}

/** Changes the sites of a post. Throws a sentence when the post could not be stored first. */
export async function arrangeSites(openPost: OpenPost, audience: Audience): Promise<void> {
  if (!(await openPost.arrange({ site_ids: audience === null ? null : [...audience] })))
    throw new Error(notStored(openPost.view()))
  await refreshDeliveries(openPost)
}

type ConsequencesProps = { before: Audience; after: Audience; sites: readonly Site[] }

function Consequences({ before, after, sites }: ConsequencesProps) {
  const { coming, leaving } = audienceChange(before, after, sites)
  if (coming.length === 0 && leaving.length === 0) return <p className="text-quiet">Nothing is sent.</p>
  return (
    <Notice tone={leaving.length > 0 ? 'trying' : 'plain'}>
      {coming.length > 0 && (
        <p>
          {sitesText(coming, sites)} {coming.length === 1 ? 'gets' : 'get'} it now.
        </p>
      )}
      {leaving.length > 0 && (
        <p>
          {sitesText(leaving, sites)} {leaving.length === 1 ? 'is' : 'are'} asked to remove it.
        </p>
      )}
    </Notice>
  )
}
