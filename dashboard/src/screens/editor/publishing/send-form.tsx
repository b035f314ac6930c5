import type { Site } from '@postrider/sdk'
import type { Holding } from '../../../delivery/holding.ts'
import { counted } from '../../../format.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { PublishingForm } from './publishing-form.tsx'
import { SiteChoice } from './site-choice.tsx'
import { useSending } from './use-sending.ts'
import { useSiteSelection } from './use-site-selection.ts'

type SendFormProps = {
  openPost: OpenPost
  view: View
  sites: readonly Site[]
  /** The sites that were sent the post, with what each has of it. */
  having: ReadonlyMap<string, Holding>
  onSent: (siteIds: ReadonlySet<string>) => void
  onClose: () => void
}

/** Asks which sites get a published post again, or its changes. */
export function SendForm({ openPost, view, sites, having, onSent, onClose }: SendFormProps) {
  const updates = view.dirty || view.workingCopy !== undefined
  const { ticked, locked, toggle, all } = useSiteSelection({ sites, having, updates })
  const go = useSending({ openPost, updates, ticked, having, onSent })
  const to = ticked.size === 0 ? '' : ` ${updates ? 'at' : 'to'} ${counted(ticked.size, 'site')}`
  return (
    <PublishingForm
      openPost={openPost}
      view={view}
      verb={`${updates ? 'Update' : 'Send'}${to}`}
      blocked={ticked.size === 0}
      go={go}
      onClose={onClose}
    >
      <SiteChoice
        sites={sites}
        hint={
          updates
            ? 'Sites that have the post get the change.'
            : 'Choose the sites to send it to. A site that has it gets it again.'
        }
        having={having}
        updates={updates}
        ticked={ticked}
        locked={locked}
        onToggle={toggle}
        onAll={all}
      />
    </PublishingForm>
  )
}
