import type { LoggedDelivery } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api, sentence } from '../api.ts'
import { queryClient } from '../queries.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import type { Standing } from './standing.ts'

/** A button that sends a failed delivery again, or makes a pending one's next attempt now; nothing when neither is possible. */
export function SendAgain({
  delivery: { id, can_retry: canRetry, post_title: title, site_name: site },
  standing,
  main = false,
}: {
  delivery: LoggedDelivery
  standing: Standing
  main?: boolean
}) {
  const again = useMutation({
    mutationFn: () => api.deliveries.retry(id),
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
  })
  if (standing !== 'trying' && !canRetry) return null
  const name = standing === 'trying' ? 'Try now' : 'Send again'
  return (
    <Button
      size={main ? 'md' : 'sm'}
      kind={main ? 'primary' : 'secondary'}
      icon={main && <RotateCw />}
      busy={again.isPending}
      onClick={() => again.mutate()}
      {...(main ? {} : { 'aria-label': `${name}: ${title} to ${site}` })}
    >
      {name}
    </Button>
  )
}
