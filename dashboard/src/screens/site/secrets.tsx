import type { Site } from '@postrider/sdk'
import { useQuery } from '@tanstack/react-query'
import { Eye, EyeOff, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api, sentence } from '../../api.ts'
import { queryClient, siteWithSecretsQuery } from '../../queries.ts'
import { connectionCodeOf } from '../../receivers/connection-code.ts'
import { readsHere } from '../../sites/health.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'

/** The two secrets, fetched on request, and their rotation. */
export function Secrets({ site }: { site: Site }) {
  const [shown, setShown] = useState(false)
  const [asking, setAsking] = useState(false)
  const [warning, setWarning] = useState<string>()
  const secrets = useQuery({ ...siteWithSecretsQuery(site.id), enabled: shown })
  const known = shown ? secrets.data : undefined
  const rotate = async () => {
    const rotated = await api.sites.rotateKeys(site.id)
    await queryClient.invalidateQueries({ queryKey: siteWithSecretsQuery(site.id).queryKey })
    setWarning(rotated.warning)
    setShown(true)
  }
  return (
    <div className="grid grid-cols-1 gap-4">
      {warning !== undefined && (
        <Notice tone="trying" title="These are new.">
          {warning}
        </Notice>
      )}
      <Secret
        name="Connection code"
        about={
          site.platform === 'wordpress'
            ? 'All that the plugin needs, in Settings → Postrider.'
            : 'All that the site’s code needs, in POSTRIDER_CONNECTION.'
        }
        value={known && connectionCodeOf(known)}
      />
      {site.kind === 'build_hook' ? (
        <Secret name="Deploy hook" about="Starts a build at your host." value={known?.webhook_url} />
      ) : (
        <Secret name="Webhook secret" about="Signs what is sent." value={known?.webhook_secret} />
      )}
      <Secret name="API key" about="For the Pull API." value={known?.api_key} />
      {shown && secrets.isError && <Notice tone="failed">{sentence(secrets.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button
          icon={shown ? <EyeOff /> : <Eye />}
          busy={shown && secrets.isFetching && secrets.data === undefined}
          onClick={() => setShown(!shown)}
        >
          {shown ? 'Hide' : 'Show'}
        </Button>
        <Button kind="quiet" icon={<RotateCw />} onClick={() => setAsking(true)}>
          Replace the keys
        </Button>
      </div>
      <Confirm open={asking} onOpenChange={setAsking} title="Replace the keys?" verb="Replace the keys" act={rotate}>
        {site.kind === 'build_hook' ? (
          <p>
            The present API key stops working <b className="font-[620] text-ink">at once</b>. Until the builds of{' '}
            {site.name} have the new connection code, they fail; the site that is online stays. The deploy hook is your
            host’s and stays as it is.
          </p>
        ) : (
          <>
            <p>
              The present webhook secret and API key stop working <b className="font-[620] text-ink">at once</b>. Until{' '}
              {site.name} has its new connection code, it refuses every delivery
              {readsHere(site) && ', and pages that read posts from here may fail'}.
            </p>
            <p>
              Deliveries that fail meanwhile are tried again a few times, by default for about 35 minutes. To take your
              time, pause the site first: then they wait, and what you publish meanwhile can be sent afterwards.
            </p>
          </>
        )}
      </Confirm>
    </div>
  )
}

function Secret({ name, about, value }: { name: string; about: string; value: string | undefined }) {
  return (
    <div className="grid grid-cols-1 gap-1">
      <p>
        <span className="font-[550]">{name}</span> <span className="text-sm text-faint">{about}</span>
      </p>
      <div className="flex items-center gap-1 rounded-md bg-well py-0.5 pr-0.5 pl-3 ring-1 ring-line">
        <code className="min-h-8 min-w-0 flex-1 content-center font-mono text-sm wrap-anywhere">
          {value ?? <span className="text-faint">••••••••••••••••</span>}
        </code>
        {value !== undefined && <CopyButton text={value} what={`the ${name}`} />}
      </div>
    </div>
  )
}
