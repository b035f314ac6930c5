import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Copy, nextNewPost, shelfOf } from './local.ts'

/** New posts written in this browser that never reached the service, for example in a closed tab. */
export function Unsaved({ accountId, current }: { accountId: string; current: string }) {
  const navigate = useNavigate()
  const shelf = shelfOf(accountId)
  const [others, setOthers] = useState(() => shelf.unsaved().filter(({ id }) => id !== current))
  if (others.length === 0) return null
  const goOn = (id: string) => {
    nextNewPost(id)
    void navigate({ to: '/posts/$postId', params: { postId: id } })
  }
  const forget = (id: string) => {
    shelf.remove(id)
    setOthers(others.filter((other) => other.id !== id))
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
              Throw away
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function firstWords({ mine: { title, body } }: Copy): string {
  if (title !== undefined && title.trim() !== '') return title
  const text = JSON.stringify(body?.value ?? '').match(/"text":"([^"]*)"/)?.[1]
  return text ?? 'Without a title'
}
