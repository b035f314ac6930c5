import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Lightbulb } from 'lucide-react'
import { proposedBy } from '../../posts/proposed-by.ts'
import { proposalsQuery } from '../../queries.ts'
import { buttonLook } from '../../ui/button.tsx'
import { NameLink, POST_NAME } from '../../ui/name-link.tsx'
import { Sheet } from '../../ui/page.tsx'
import { Ago } from '../../ui/time.tsx'

/** What programs propose to publish; hidden while there is nothing. */
export function Proposals() {
  const { data } = useQuery(proposalsQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <Sheet title="Proposed for publication">
      <ul className="-my-2.5">
        {data.map(({ post_id: postId, title, by, reason, at }) => (
          <li key={postId} className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
            <Lightbulb className="size-5 shrink-0 text-faint" aria-hidden="true" />
            <div className="min-w-0 flex-1">
              <NameLink to="/posts/$postId" params={{ postId }} name={title} className={POST_NAME} />
              <p className="clip text-sm text-faint">
                <bdi>{proposedBy(by)}</bdi>, <Ago at={at} />: <bdi>{reason}</bdi>
              </p>
            </div>
            <Link to="/posts/$postId" params={{ postId }} className={buttonLook({ size: 'sm' })}>
              Review<span className="sr-only"> {title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
