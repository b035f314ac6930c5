import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { counted } from '../../../format.ts'
import { sitesQuery } from '../../../queries.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import type { OpenPost } from '../saving/open-post.ts'
import { arrangeSites } from './audience-dialog.tsx'

type TakeOffSiteProps = { openPost: OpenPost; site: Pick<Site, 'id' | 'name'>; onClose: () => void }

/** Asks before a published post is taken off one site. */
export function TakeOffSite({ openPost, site, onClose }: TakeOffSiteProps) {
  const sites = useQuery(sitesQuery).data?.sites
  const { site_ids: audience = null } = openPost.view().post ?? {}
  const others = (audience ?? sites?.map(({ id }) => id) ?? []).filter((id) => id !== site.id)
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={`Take it off ${site.name}?`}
      verb={`Take it off ${site.name}`}
      act={async () => {
        if (sites === undefined) throw new Error('The sites are not known yet. Try again in a moment.')
        await arrangeSites(openPost, others)
      }}
    >
      <p>
        <bdi>{site.name}</bdi> will be asked to remove the post. {restText(others.length)}
      </p>
      {audience === null && <p>Sites that you add later will not get it by themselves any more.</p>}
    </Confirm>
  )
}

function restText(others: number): string {
  return others === 0
    ? 'It is then on no site, and stays published here.'
    : `It stays on ${counted(others, 'other site')}.`
}
