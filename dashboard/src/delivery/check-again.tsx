import { useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { api, sentence } from '../api.ts'
import { counted } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'

/** `post`: only its page; else the pages of everything that the site accepted and does not show. */
type CheckAgainProps = { site: { id: string; name: string }; post?: { id: string; title: string } }

/** A button that has pages looked at again, for whoever has just mended the site. What comes of it arrives with the live updates. */
export function CheckAgain({ site, post }: CheckAgainProps) {
  const check = useMutation({
    mutationFn: () => api.sites.checkPages(site.id, post?.id),
    onSuccess: ({ posts }) => toast({ text: `Looking at ${posts === 1 ? 'the page' : counted(posts, 'page')} again.` }),
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
  })
  return (
    <Button
      size="sm"
      icon={<RotateCw />}
      busy={check.isPending}
      onClick={() => check.mutate()}
      aria-label={`Check again: ${post === undefined ? site.name : `${post.title} on ${site.name}`}`}
    >
      Check again
    </Button>
  )
}
