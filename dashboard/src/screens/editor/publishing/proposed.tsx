import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, sentence, unlessMissing } from '../../../api.ts'
import { proposedBy } from '../../../posts/proposed-by.ts'
import { proposalQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { focusPage } from '../../../ui/focus.ts'
import { Notice } from '../../../ui/notice.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'

type ProposedProps = {
  postId: string
  /** The post is published, so that the proposal is about its changes. */
  isPublished: boolean
  editable: boolean
  onPublish: () => void
}

/** The proposal of a program to publish the post, if there is one. A person decides. */
export function Proposed({ postId, isPublished, editable, onPublish }: ProposedProps) {
  const { data } = useQuery(proposalQuery(postId))
  const queries = useQueryClient()
  const dismiss = useMutation({
    // Somebody else may have dismissed it meanwhile.
    mutationFn: () => unlessMissing(api.posts.proposals.dismiss(postId)),
    onSuccess: focusPage, // the button goes
    onError: (error) => toast({ tone: 'failed', text: sentence(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['posts', 'proposals'] }),
  })
  if (data == null) return null
  return (
    <Notice
      title={
        <>
          <bdi>{proposedBy(data.by)}</bdi> proposes to publish {isPublished ? 'these changes' : 'this post'}
        </>
      }
    >
      <p dir="auto" className="whitespace-pre-line wrap-anywhere">
        {data.reason}
      </p>
      <p className="mt-1 text-sm text-quiet">
        Proposed <Ago at={data.at} />.{data.changed_since && ' The post has changed since.'}
      </p>
      {editable && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="sm" kind="primary" onClick={onPublish}>
            {isPublished ? 'Update the post' : 'Publish …'}
          </Button>
          <Button size="sm" busy={dismiss.isPending} onClick={() => dismiss.mutate()}>
            Dismiss
          </Button>
        </div>
      )}
    </Notice>
  )
}
