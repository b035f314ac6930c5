/** Sends failures again: the chosen ones, or all. */
import type { LoggedDelivery, Site } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api, sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { queryClient } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ChosenBar } from '../../ui/filters.tsx'
import { toast } from '../../ui/toast.tsx'

/** The most deliveries that the service takes in one request. */
const AT_ONCE = 100

function say(queued: number): void {
  toast({
    text:
      queued === 0
        ? 'There was nothing left to send again.'
        : `${counted(queued, 'delivery', 'deliveries')} on the way again.`,
  })
}

async function sendAgain(ids: readonly string[]): Promise<number> {
  let queued = 0
  for (let at = 0; at < ids.length; at += AT_ONCE)
    queued += (await api.deliveries.retryFailed({ ids: ids.slice(at, at + AT_ONCE) })).queued
  return queued
}

async function sendAllAgain(siteId: string | undefined): Promise<number> {
  let queued = 0
  for (let more = true; more; ) {
    const done = await api.deliveries.retryFailed(siteId === undefined ? {} : { site_id: siteId })
    queued += done.queued
    // If nothing was queued, another request would not help, even if the service says there is more.
    more = done.more && done.queued > 0
  }
  return queued
}

const readAgain = () => queryClient.invalidateQueries({ queryKey: ['deliveries'] })

/** Sends the chosen failures again. That does no harm, so it does not ask first. */
export function RetryBar({ deliveries, onDone }: { deliveries: readonly LoggedDelivery[]; onDone: () => void }) {
  const again = useMutation({
    mutationFn: () => sendAgain(deliveries.map(({ id }) => id)),
    onSuccess(queued) {
      say(queued)
      onDone()
    },
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
    onSettled: readAgain,
  })
  const many = counted(deliveries.length, 'delivery', 'deliveries')
  useAction({ does: `Send ${many} again`, group: 'Selection' }, () => again.isPending || again.mutate())
  return (
    <ChosenBar count={`${many} selected`} onClear={onDone}>
      <Button kind="quiet" size="sm" icon={<RotateCw />} busy={again.isPending} onClick={() => again.mutate()}>
        Send again
      </Button>
    </ChosenBar>
  )
}

type RetryAllProps = { open: boolean; onOpenChange: (open: boolean) => void; site: Site | undefined }

/** Asks before all failures are sent again. `site`: only the failures at that site. */
export function RetryAll({ open, onOpenChange, site }: RetryAllProps) {
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={site === undefined ? 'Send all failures again?' : `Send all failures to ${site.name} again?`}
      verb="Send all again"
      danger={false}
      act={async () => {
        try {
          say(await sendAllAgain(site?.id))
        } catch (error) {
          throw new Error(sentence(error), { cause: error })
        } finally {
          await readAgain()
        }
      }}
    >
      <p>
        Every failed delivery{site === undefined ? '' : ' to this site'}, however old, gets a fresh set of attempts.
        Those that can no longer be sent are left out: a newer version has replaced them, or their post or site was
        deleted.
      </p>
    </Confirm>
  )
}
