/** Makes the same change to all chosen posts. */
import type { ChangePosts, ListedPost } from '@postrider/sdk'
import { FileInput, Send, Tag, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { api, sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { queryClient } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ChosenBar } from '../../ui/filters.tsx'
import { toast } from '../../ui/toast.tsx'
import { TagDialog } from './tag-dialog.tsx'

/** The change made to each post. */
export type Change = Omit<ChangePosts, 'ids'>

/** The most posts that the service takes in one request. */
const AT_ONCE = 100

/**
 * Changes posts a hundred at a time; each hundred is changed completely or not at all, and told to `onChanged`. Throws when one hundred
 * failed.
 */
async function change(
  posts: readonly ListedPost[],
  how: Change,
  did: string,
  onChanged: (ids: readonly string[]) => void,
): Promise<void> {
  const ids = posts.map(({ id }) => id)
  let changed = 0
  try {
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = ids.slice(at, at + AT_ONCE)
      const done = await api.posts.bulk({ ...how, ids: some })
      changed += done.changed.length
      onChanged(some)
    }
  } catch (error) {
    const before = changed === 0 ? '' : `${counted(changed, 'post')} ${did}, and then this: `
    throw new Error(`${before}${sentence(error)}`, { cause: error })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['posts'] })
  }
  const missing = ids.length - changed
  const gone = missing === 0 ? '' : ` ${counted(missing, 'post')} had been deleted before.`
  toast({ text: `${counted(changed, 'post')} ${did}.${gone}` })
}

type BulkBarProps = {
  posts: readonly ListedPost[]
  /** Unchooses these posts; without them, all. */
  clear: (ids?: readonly string[]) => void
}

/** What can be done to the chosen posts. What is done is not chosen any more, so that after a failure the rest can be tried again. */
export function BulkBar({ posts, clear }: BulkBarProps) {
  const [open, setOpen] = useState<'publish' | 'unpublish' | 'tag' | 'delete'>()
  const close = (next: boolean) => next || setOpen(undefined)
  const many = counted(posts.length, 'post')
  const them = posts.length === 1 ? 'it' : 'them'
  const act = (how: Change, did: string) => change(posts, how, did, clear)
  return (
    <>
      <ChosenBar count={`${many} selected`} onClear={() => clear()}>
        <Choice verb="Publish" many={many} icon={<Send />} onChoose={() => setOpen('publish')} />
        {posts.some(({ status }) => status !== 'draft') && (
          <Choice verb="Unpublish" many={many} icon={<FileInput />} onChoose={() => setOpen('unpublish')} />
        )}
        <Choice verb="Tag" many={many} icon={<Tag />} onChoose={() => setOpen('tag')} />
        <Choice verb="Delete" many={many} icon={<Trash2 />} onChoose={() => setOpen('delete')} />
      </ChosenBar>
      <Confirm
        open={open === 'publish'}
        onOpenChange={close}
        title={`Publish ${many} now?`}
        verb={`Publish ${many}`}
        danger={false}
        act={() => act({ action: 'publish' }, 'published')}
      >
        <p>To all sites that are not paused. Published posts are sent again.</p>
        <Titles posts={posts} />
      </Confirm>
      <Confirm
        open={open === 'unpublish'}
        onOpenChange={close}
        title={`Unpublish ${many}?`}
        verb={`Unpublish ${many}`}
        act={() => act({ action: 'unpublish' }, 'unpublished')}
      >
        <p>
          Sites that have {them} will be asked to remove {them}, and anything scheduled will not go out. Here{' '}
          {posts.length === 1 ? 'it becomes a draft.' : 'they become drafts.'}
        </p>
        <Titles posts={posts} />
      </Confirm>
      <Confirm
        open={open === 'delete'}
        onOpenChange={close}
        title={`Delete ${many}?`}
        verb={`Delete ${many}`}
        act={() => act({ action: 'delete' }, 'deleted')}
      >
        <p>
          This cannot be undone. Sites that have {them} will be asked to remove {them} too.
        </p>
        <Titles posts={posts} />
      </Confirm>
      {open === 'tag' && <TagDialog many={many} onOpenChange={close} act={act} />}
    </>
  )
}

type ChoiceProps = { verb: string; many: string; icon: ReactNode; onChoose: () => void }

/** One action on the chosen posts: a button here, and an entry in the palette, which is within reach from every row. */
function Choice({ verb, many, icon, onChoose }: ChoiceProps) {
  useAction({ does: `${verb} ${many}`, group: 'Selection' }, onChoose)
  return (
    <Button kind="quiet" size="sm" icon={icon} onClick={onChoose}>
      {verb}
    </Button>
  )
}

const SHOWN_TITLES = 6

/** The titles of the chosen posts, because some may be on another page. */
function Titles({ posts }: { posts: readonly ListedPost[] }) {
  const shown = posts.slice(0, posts.length > SHOWN_TITLES ? SHOWN_TITLES - 1 : SHOWN_TITLES)
  return (
    <ul className="grid gap-0.5">
      {shown.map(({ id, title }) => (
        <li key={id} dir="auto" className="clip font-serif text-ink">
          {title}
        </li>
      ))}
      {shown.length < posts.length && <li>and {counted(posts.length - shown.length, 'other')}</li>}
    </ul>
  )
}
