/** The steps of a site that its host builds anew: what the build needs, and a try of the deploy hook. */
import type { SiteWithSecrets } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ReceiverCode } from '../../receivers/receiver-code.tsx'
import {
  STATIC_RECEIVER_NAMES,
  STATIC_RECEIVERS,
  type StaticReceiverName,
  staticReceiverFor,
} from '../../receivers/static-receivers.ts'
import { HookWords } from '../../sites/build-hook.tsx'
import { SendTest } from '../../sites/test-delivery.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Frame } from './frame.tsx'

/** The screen after such a site was connected. */
export function StaticSite({ site }: { site: SiteWithSecrets }) {
  const [hasBuilt, setBuilt] = useState(false)
  const [made, setMade] = useState(() => staticReceiverFor(site.platform))
  const { id, debounce_seconds: seconds } = site
  return (
    <Frame at={hasBuilt ? 4 : 2} lead={`${site.name} is added here. Once its build reads your posts, it is connected.`}>
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-4">
          <HookWords seconds={seconds ?? 0} />
          <Field label="Your site is made with">
            <Select value={made} onChange={({ target: { value } }) => setMade(value as StaticReceiverName)}>
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
          <SendTest siteId={id} isHook onResult={({ success }) => setBuilt(success)} />
        </div>
      </Sheet>
      <div className="flex flex-wrap justify-end gap-2">
        <Link
          to="/sites/$siteId"
          params={{ siteId: id }}
          className={buttonLook({ kind: hasBuilt ? 'primary' : 'quiet' })}
        >
          {hasBuilt ? 'Go to its settings' : 'Do this later'}
        </Link>
      </div>
    </Frame>
  )
}
