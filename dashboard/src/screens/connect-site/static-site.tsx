/** The steps of a site that its host builds anew: what the build needs, and a try of the deploy hook. */
import type { SiteWithSecrets } from '@postrider/sdk'
import { useState } from 'react'
import { ReceiverCode } from '../../receivers/receiver-code.tsx'
import { STATIC_RECEIVER_NAMES, STATIC_RECEIVERS, staticReceiverFor } from '../../receivers/static-receivers.ts'
import { HookWords } from '../../sites/build-hook.tsx'
import { SendTest } from '../../sites/test-delivery.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Frame, hasWorked, Onward } from './frame.tsx'

type StaticSiteProps = { site: SiteWithSecrets; chosen: string | undefined; choose: (made: string) => void }

/** The screen after such a site was connected. `chosen`: what was chosen as what it is made with. */
export function StaticSite({ site, chosen, choose }: StaticSiteProps) {
  const [accepted, setAccepted] = useState<boolean>()
  const made = STATIC_RECEIVER_NAMES.find((name) => name === chosen) ?? staticReceiverFor(site.platform)
  const { id, debounce_seconds: seconds } = site
  const works = accepted ?? hasWorked(site)
  return (
    <Frame
      at={works ? 4 : 2}
      lead={
        works
          ? `The host of ${site.name} takes its deploy hook. Once a build reads your posts, they are there.`
          : `${site.name} is added here. Once its build reads your posts, it is connected.`
      }
    >
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-4">
          <HookWords seconds={seconds ?? 0} />
          <Field label="Your site is made with">
            <Select value={made} onChange={({ target: { value } }) => choose(value)}>
              {STATIC_RECEIVER_NAMES.map((name) => (
                <option key={name} value={name}>
                  {STATIC_RECEIVERS[name].name}
                </option>
              ))}
            </Select>
          </Field>
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
