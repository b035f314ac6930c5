import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isMissing } from '../../../api.ts'
import { postQuery } from '../../../queries.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Ago } from '../../../ui/time.tsx'
import { type Copy, isNew, type Kept, nextNewPost, shelfOf } from './draft-shelf.ts'

/** What was written in this browser and has no post: new posts of a closed tab, and changes to posts that were deleted elsewhere. */
export function Unsaved({ accountId, current }: { accountId: string; current: string }) {
  const navigate = useNavigate()
  const shelf = shelfOf(accountId)
  const [kept, setKept] = useState(() => shelf.all().filter(({ id }) => id !== current))
  const others = useWithoutPost(kept)
  if (others.length === 0) return null
  const goOn = (id: string) => {
    if (isNew(id)) nextNewPost(id)
    void navigate({ to: '/posts/$postId', params: { postId: id } })
  }
  const forget = (id: string) => {
    shelf.remove(id)
    setKept(kept.filter((one) => one.id !== id))
  }
  return (
    <Notice title="Written in this browser and never saved">
      <ul className="mt-1 grid gap-2">
        {others.map(({ id, copy }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            <span dir="auto" className="clip flex-1 basis-48 font-serif">
              {firstWords(copy)}
            </span>
            <span className="text-sm text-faint">
              <Ago at={new Date(copy.at).toISOString()} />
            </span>
            <Button size="sm" onClick={() => goOn(id)}>
              Continue with it
            </Button>
            <Button size="sm" kind="quiet" onClick={() => forget(id)}>
              Discard
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** The copies whose post was never stored, or does not exist any more. */
function useWithoutPost(kept: readonly Kept[]): Kept[] {
  const found = useQueries({
    queries: kept.map(({ id }) => ({ ...postQuery(id), enabled: !isNew(id), refetchOnWindowFocus: false })),
  })
  return kept.filter(({ id }, index) => isNew(id) || isMissing(found[index]?.error))
}

/** What a copy is recognised by. */
export function firstWords({ mine: { title, body } }: Copy): string {
  if (title !== undefined && title.trim() !== '') return title
  const text = JSON.stringify(body?.value ?? '').match(/"text":"([^"]*)"/)?.[1]
  return text ?? 'Without a title'
}
