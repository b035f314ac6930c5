/** What can be done to all chosen posts at once. */
import type { ListedPost } from '@postrider/sdk'
import { Copy, FileInput, Send, Tag, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { counted } from '../../format.ts'
import { useDuplicate } from '../../posts/duplicate.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ChosenBar } from '../../ui/filters.tsx'
import { BulkPublish } from './bulk-publish.tsx'
import { type Change, changePosts } from './change.ts'
import { TagDialog } from './tag-dialog.tsx'

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
  const duplicate = useDuplicate()
  const [only] = posts.length === 1 ? posts : []
  const them = posts.length === 1 ? 'it' : 'them'
  const act = (how: Change, did: string) => changePosts(posts, how, did, clear)
  return (
    <>
      <ChosenBar count={`${many} selected`} onClear={() => clear()}>
        <Choice verb="Publish" many={many} icon={<Send />} onChoose={() => setOpen('publish')} />
        {posts.some(({ status }) => status !== 'draft') && (
          <Choice verb="Unpublish" many={many} icon={<FileInput />} onChoose={() => setOpen('unpublish')} />
        )}
        <Choice verb="Tag" many={many} icon={<Tag />} onChoose={() => setOpen('tag')} />
        {only !== undefined && (
          <Choice verb="Duplicate" many={many} icon={<Copy />} onChoose={() => duplicate(only.id)} />
        )}
        <Choice verb="Delete" many={many} icon={<Trash2 />} onChoose={() => setOpen('delete')} />
      </ChosenBar>
      {open === 'publish' && (
        <BulkPublish posts={posts} many={many} onOpenChange={close} act={act}>
          <Titles posts={posts} />
        </BulkPublish>
      )}
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
