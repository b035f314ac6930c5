import { PostriderError } from '@postrider/sdk'
import { useMutation } from '@tanstack/react-query'
import { api, sentence } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { longTime, OWN_ZONE } from '../../schedule/zoned.ts'
import { toast } from '../../ui/toast.tsx'
import type { Entry } from './plan.ts'

/** Moves a scheduled post to another time, unless somebody has changed it since it was read. */
export function useMove() {
  return useMutation({
    mutationFn: ({ entry: { post }, to }: { entry: Entry; to: number }) =>
      api.posts.update(post.id, { scheduled_at: new Date(to).toISOString() }, post.version),
    async onSettled() {
      await queryClient.invalidateQueries({ queryKey: ['posts'] })
    },
    onSuccess(_, { entry, to }) {
      toast({ text: `“${entry.post.title}” goes out on ${longTime(to, OWN_ZONE)}.` })
    },
    onError(error, { entry }) {
      toast({ tone: 'failed', text: `“${entry.post.title}” was not moved: ${problemOf(error)}` })
    },
  })
}

function problemOf(error: Error): string {
  const isConflict = error instanceof PostriderError && error.status === 412
  return isConflict ? 'somebody has changed it meanwhile. Look at it again, then move it.' : sentence(error)
}
