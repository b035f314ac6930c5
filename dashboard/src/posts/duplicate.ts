import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, sentence } from '../api.ts'
import { queryClient } from '../queries.ts'
import { toast } from '../ui/toast.tsx'

/** Makes a copy of a post, which is a draft, and opens it. */
export function useDuplicate(): (postId: string) => void {
  const navigate = useNavigate()
  const { mutate } = useMutation({
    mutationFn: (postId: string) => api.posts.duplicate(postId),
    async onSuccess({ id, title }) {
      await queryClient.invalidateQueries({ queryKey: ['posts'], refetchType: 'none' })
      await navigate({ to: '/posts/$postId', params: { postId: id } })
      toast({ text: `This is the copy, a draft: “${title}”.` })
    },
    onError: (error) => toast({ text: `The post was not duplicated. ${sentence(error)}`, tone: 'failed' }),
  })
  return mutate
}
