/** The steps of a site that its host builds anew: what the build needs, and a try of the deploy hook. */
import type { SiteWithSecrets } from '@postrider/sdk'
import { useState } from 'react'
import { ReceiverCode } from '../../receivers/receiver-code.tsx'
import { STATIC_RECEIVER_NAMES, STATIC_RECEIVERS, staticReceiverOf } from '../../receivers/static-receivers.ts'
import { HookWords } from '../../sites/build-hook.tsx'
import { SendTest } from '../../sites/test-delivery.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Frame, hasWorked, Onward } from './frame.tsx'
import { MadeWithChoice } from './made-with-choice.tsx'

/** The screen after such a site was connected. */
export function StaticSite({ site }: { site: SiteWithSecrets }) {
  const [accepted, setAccepted] = useState<boolean>()
  const made = staticReceiverOf(site)
  const { id, debounce_seconds: seconds } = site
  const works = accepted ?? hasWorked(site)
  return (
    <Frame
      at={works ? 4 : 2}
      lead={
        works
          ? `The deploy hook of ${site.name} works. Your posts are there after the first build that reads them.`
          : `${site.name} is on your list. Once its build reads your posts, it is connected.`
      }
    >
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-4">
          <HookWords seconds={seconds ?? 0} />
          <MadeWithChoice site={site} names={STATIC_RECEIVER_NAMES} value={made} labels={STATIC_RECEIVERS} />
          <ReceiverCode site={site} receiver={STATIC_RECEIVERS[made]} />
        </div>
      </Sheet>
      <Sheet title="The test">
        <div className="grid grid-cols-1 gap-4">
          <p className="text-quiet">A test calls the deploy hook: your host starts a real build.</p>
          <SendTest siteId={id} isHook onResult={({ success }) => setAccepted(success)} />
        </div>
      </Sheet>
      <Onward siteId={id} works={works} />
    </Frame>
  )
}
