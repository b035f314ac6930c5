import { useMutation } from '@tanstack/react-query'
import type { Holding } from '../../../delivery/holding.ts'
import { deliveriesOfPostQuery, queryClient } from '../../../queries.ts'
import type { OpenPost } from '../saving/open-post.ts'

type Sending = {
  openPost: OpenPost
  updates: boolean
  ticked: ReadonlySet<string>
  having: ReadonlyMap<string, Holding>
  onSent: (siteIds: ReadonlySet<string>) => void
}

/** Sends the published post again, or its changes. Its result is false when the post could not be saved; the view says why. */
export function useSending(sending: Sending) {
  const { openPost, ticked, onSent } = sending
  return useMutation({
    async mutationFn() {
      const done = await send(sending)
      if (done) await refreshDeliveries(openPost)
      return done
    },
    onSuccess(done) {
      if (done) onSent(ticked)
    },
  })
}

async function send({ openPost, updates, ticked, having }: Sending): Promise<boolean> {
  if (!updates) return openPost.publish([...ticked])
  // Sites that have the post are sent the change when it is stored.
  const others = [...ticked].filter((id) => !having.has(id))
  return others.length === 0 ? openPost.update() : openPost.publish(others)
}

/** Reads the deliveries that a publication has begun. Without an answer live updates bring them. */
export async function refreshDeliveries(openPost: OpenPost): Promise<void> {
  const { post } = openPost.view()
  if (post === undefined) return
  await queryClient.fetchQuery({ ...deliveriesOfPostQuery(post.id), staleTime: 0 }).catch(() => undefined)
}
