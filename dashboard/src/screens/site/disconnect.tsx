import type { Site } from '@postrider/sdk'
import { useNavigate } from '@tanstack/react-router'
import { Unplug } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api.ts'
import { forgetSite } from '../../queries.ts'
import { readsHere } from '../../sites/health.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { toast } from '../../ui/toast.tsx'

/** Disconnects a site, after saying what follows from it. */
export function Disconnect({ site }: { site: Site }) {
  const [asking, setAsking] = useState(false)
  const navigate = useNavigate()
  const left = readsHere(site)
    ? 'Its pages read the posts from here, and will fail.'
    : 'Posts that it has are not removed from it.'
  const disconnect = async () => {
    await api.sites.delete(site.id)
    await navigate({ to: '/sites' })
    forgetSite(site.id)
    toast({ text: `${site.name} is disconnected.` })
  }
  return (
    <div className="grid grid-cols-1 justify-items-start gap-3">
      <p className="text-quiet">Nothing more will be sent to it. {left}</p>
      <Button icon={<Unplug />} onClick={() => setAsking(true)}>
        Disconnect the site
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Disconnect ${site.name}?`}
        verb="Disconnect"
        act={disconnect}
      >
        <p>
          Its API key stops working and its pending deliveries end. {left} Its delivery history stays in the analytics
          for 90 days.
        </p>
        <p>This cannot be undone: connected again, it is a new site with new keys.</p>
      </Confirm>
    </div>
  )
}
