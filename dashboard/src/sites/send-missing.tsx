import type { Site } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api, sentence } from '../api.ts'
import { counted } from '../format.ts'
import { queryClient } from '../queries.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'

/** A button that sends a site the posts that it should have and does not; nothing for a paused one, which is sent nothing. */
export function SendMissing({ site }: { site: Site }) {
  const send = useMutation({
    mutationFn: () => api.sites.retry(site.id),
    onSuccess: ({ queued, skipped }) => toast({ text: `${counted(queued + skipped, 'post')} on the way.` }),
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['sites'] })
      void queryClient.invalidateQueries({ queryKey: ['deliveries'] })
    },
  })
  if (site.status === 'inactive') return null
  return (
    <Button
      size="sm"
      icon={<RotateCw />}
      busy={send.isPending}
      onClick={() => send.mutate()}
      aria-label={`Send again: ${missingWords(site)} at ${site.name}`}
    >
      Send again
    </Button>
  )
}

/** How many posts a site lacks, in words. */
export function missingWords({ delivery_stats: { missing } }: Site): string {
  return `${counted(missing, 'post')} missing`
}
