/** The steps of a site that its host builds anew: what the build needs, and a try of the deploy hook. */
import { connectionCode, type SiteWithSecrets } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { HookWords } from '../../sites/build-hook.tsx'
import { SendTest } from '../../sites/test-delivery.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Code } from '../../ui/copy.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Frame } from './frame.tsx'

/** The screen after such a site was connected. */
export function StaticSite({ site }: { site: SiteWithSecrets }) {
  const [hasBuilt, setBuilt] = useState(false)
  const [shown, setShown] = useState(false)
  const { id, api_key: key, webhook_secret: secret, debounce_seconds: seconds } = site
  const line = (code: string) => `POSTRIDER_CONNECTION=${code}`
  const code = line(connectionCode({ url: location.origin, site: id, key, secret }))
  return (
    <Frame at={hasBuilt ? 4 : 2} lead={`${site.name} is connected. Now let its build read your posts.`}>
      <Sheet title="The receiver">
        <div className="grid grid-cols-1 gap-4">
          <HookWords seconds={seconds ?? 0} />
          <div className="flex flex-wrap items-baseline justify-between gap-2">
            <p className="text-quiet">
              The build reads your posts from this service. Give it this setting, in the environment of your host:
            </p>
            <Button size="sm" kind="quiet" icon={shown ? <EyeOff /> : <Eye />} onClick={() => setShown(!shown)}>
              {shown ? 'Hide the secrets' : 'Show the secrets'}
            </Button>
          </div>
          <Code label="Environment" text={code} {...(shown ? {} : { instead: line('prc_••••••••••••••••') })} />
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
          {hasBuilt ? 'See the site' : 'Do this later'}
        </Link>
      </div>
    </Frame>
  )
}
