import type { ListedPost } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { counted } from '../../format.ts'
import { accountQuery, sitesQuery } from '../../queries.ts'
import { type Audience, audienceText, isSameAudience, receivingOf } from '../../sites/audience.ts'
import { AudienceChoice } from '../../sites/audience-choice.tsx'
import { OriginalChoice } from '../../sites/original-choice.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import type { Change } from './change.ts'

type BulkPublishProps = {
  posts: readonly ListedPost[]
  /** "3 posts". */
  many: string
  onOpenChange: (open: boolean) => void
  /** `did`: what was done, for the message afterwards. */
  act: (how: Change, did: string) => Promise<void>
  children: ReactNode
}

/** Asks where the chosen posts go: each to its own sites, or all to the same. */
export function BulkPublish({ posts, many, onOpenChange, act, children }: BulkPublishProps) {
  const sites = useQuery(sitesQuery).data?.sites ?? []
  const [keeps, setKeeps] = useState(true)
  const [audience, setAudience] = useState<Audience>(null)
  const usual = useQuery(accountQuery).data?.primary_site_id ?? null
  const [original, setOriginal] = useState<string | null>(null)
  const isOne = posts.length === 1
  // Only what several sites get needs an original.
  const withoutOriginal = posts.filter(
    (post) =>
      post.primary_site_id === null &&
      !post.meta.canonical_url &&
      receivingOf(keeps ? post.site_ids : audience, sites).length > 1,
  )
  const change = (): Change => ({
    action: 'publish',
    ...(keeps ? {} : { site_ids: audience === null ? null : [...audience] }),
    ...(original === null || withoutOriginal.length === 0 ? {} : { primary_site_id: original }),
  })
  const publish = async () => {
    if (!keeps && audience?.length === 0) throw new Error('Choose at least one site.')
    await act(change(), 'published')
  }
  return (
    <Confirm
      open
      onOpenChange={onOpenChange}
      title={`Publish ${many} now?`}
      verb={`Publish ${many}`}
      danger={false}
      act={publish}
    >
      {children}
      <div className="text-ink">
        <AudienceChoice
          sites={sites}
          value={audience}
          onChange={(next) => {
            setKeeps(false)
            setAudience(next)
          }}
          other={{
            label: isOne ? 'Its own sites' : 'Each to its own sites',
            hint: ownText(posts, sites),
            chosen: keeps,
            onChoose: () => setKeeps(true),
          }}
        />
        {withoutOriginal.length > 0 && (
          <div className="mt-4">
            <OriginalChoice
              sites={sites}
              audience={keeps ? sitesOfAll(withoutOriginal) : audience}
              usual={usual}
              value={original}
              onChange={setOriginal}
              title={isOne ? 'It has no original' : `${counted(withoutOriginal.length, 'post')} without an original`}
            />
          </div>
        )}
      </div>
      <p>
        {keeps
          ? 'Paused sites are passed over. Published posts are sent again.'
          : 'This becomes their choice of sites. Published posts are removed from the others, and are not sent again to sites that have them.'}
      </p>
    </Confirm>
  )
}

/** The sites that any of the posts is for. */
function sitesOfAll(posts: readonly ListedPost[]): Audience {
  const audiences = posts.map(({ site_ids: ids }) => ids)
  return audiences.includes(null) ? null : [...new Set(audiences.flatMap((ids) => ids ?? []))]
}

/** `For all sites, also those you add later`, if that holds for all posts. */
function ownText(posts: readonly ListedPost[], sites: Parameters<typeof audienceText>[1]): string {
  const [first] = posts
  if (first === undefined) return ''
  const isSame = posts.every(({ site_ids: ids }) => isSameAudience(ids, first.site_ids))
  return isSame ? `For ${audienceText(first.site_ids, sites)}` : 'As each post says; they differ'
}
