/** What can be done to all chosen posts at once. */

import type { ListedPost } from '@postrider/sdk'
import { TRASH_DAYS } from '@postrider/server/posts/policy'
import { Copy, FileInput, Send, Tag, Trash2, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { useDuplicate } from '../../posts/duplicate.ts'
import { trashConsequence } from '../../posts/trash.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ChosenBar } from '../../ui/filters.tsx'
import { focusPage } from '../../ui/focus.ts'
import { toast } from '../../ui/toast.tsx'
import { BulkPublish } from './bulk-publish.tsx'
import { type Change, changePosts } from './change.ts'
import { TagDialog } from './tag-dialog.tsx'

type BulkBarProps = {
  posts: readonly ListedPost[]
  /** Unchooses these posts; without them, all. */
  clear: (ids?: readonly string[]) => void
}

type Asked = 'publish' | 'unpublish' | 'tag' | 'trash' | 'delete'

/** What can be done to the chosen posts. What is done is not chosen any more, so that after a failure the rest can be tried again. */
export function BulkBar({ posts, clear }: BulkBarProps) {
  const [open, setOpen] = useState<Asked>()
  const close = (next: boolean) => next || setOpen(undefined)
  const many = counted(posts.length, 'post')
  const act = (how: Change, did: string) => changePosts(posts, how, did, clear)
  const isTrash = posts.every(({ status }) => status === 'trash')
  return (
    <>
      <ChosenBar count={`${many} selected`} onClear={() => clear()}>
        {isTrash ? (
          <TrashChoices many={many} act={act} ask={setOpen} />
        ) : (
          <Choices posts={posts} many={many} act={act} ask={setOpen} />
        )}
      </ChosenBar>
      {open === 'publish' && (
        <BulkPublish posts={posts} many={many} onOpenChange={close} act={act}>
          <Titles posts={posts} />
        </BulkPublish>
      )}
      <Confirmations posts={posts} many={many} open={open} onOpenChange={close} act={act} />
      {open === 'tag' && <TagDialog many={many} onOpenChange={close} act={act} />}
    </>
  )
}

type Act = (how: Change, did: string) => Promise<void>
type ChoicesProps = { many: string; act: Act; ask: (what: Asked) => void }

function Choices({ posts, many, act, ask }: ChoicesProps & { posts: readonly ListedPost[] }) {
  const duplicate = useDuplicate()
  const [only] = posts.length === 1 ? posts : []
  const trash = () => {
    if (trashConsequence(posts) !== undefined) return ask('trash')
    act(...TO_TRASH).then(focusPage, told)
  }
  return (
    <>
      <Choice verb="Publish" many={many} icon={<Send />} onChoose={() => ask('publish')} />
      {posts.some(({ status }) => status !== 'draft') && (
        <Choice verb="Unpublish" many={many} icon={<FileInput />} onChoose={() => ask('unpublish')} />
      )}
      <Choice verb="Tag" many={many} icon={<Tag />} onChoose={() => ask('tag')} />
      {only !== undefined && (
        <Choice verb="Duplicate" many={many} icon={<Copy />} onChoose={() => duplicate(only.id)} />
      )}
      <Choice verb="Delete" many={many} icon={<Trash2 />} onChoose={trash} />
    </>
  )
}

const TO_TRASH = [{ action: 'trash' }, 'moved to the trash'] as const

const told = (error: unknown) =>
  toast({ text: error instanceof Error ? error.message : sentence(error), tone: 'failed' })

function TrashChoices({ many, act, ask }: ChoicesProps) {
  return (
    <>
      <Choice
        verb="Restore"
        many={many}
        icon={<Undo2 />}
        onChoose={() => void act({ action: 'untrash' }, 'restored').then(focusPage, told)}
      />
      <Choice verb="Delete for good" many={many} icon={<Trash2 />} onChoose={() => ask('delete')} />
    </>
  )
}

type ConfirmationsProps = {
  posts: readonly ListedPost[]
  many: string
  open: Asked | undefined
  onOpenChange: (open: boolean) => void
  act: Act
}

function Confirmations({ posts, many, open, onOpenChange, act }: ConfirmationsProps) {
  const isOne = posts.length === 1
  const them = isOne ? 'it' : 'them'
  return (
    <>
      <Confirm
        open={open === 'unpublish'}
        onOpenChange={onOpenChange}
        title={`Unpublish ${many}?`}
        verb={`Unpublish ${many}`}
        act={() => act({ action: 'unpublish' }, 'unpublished')}
      >
        <p>
          Sites that have {them} will be asked to remove {them}, and anything scheduled will not go out. Here{' '}
          {isOne ? 'it becomes a draft.' : 'they become drafts.'}
        </p>
        <Titles posts={posts} />
      </Confirm>
      <Confirm
        open={open === 'trash'}
        onOpenChange={onOpenChange}
        title={`Move ${many} to the trash?`}
        verb={`Move ${many} to the trash`}
        act={() => act(...TO_TRASH)}
      >
        <p>
          {trashConsequence(posts)} You can restore {them}, as {isOne ? 'a draft' : 'drafts'}, for {TRASH_DAYS} days.
        </p>
        <Titles posts={posts} />
      </Confirm>
      <Confirm
        open={open === 'delete'}
        onOpenChange={onOpenChange}
        title={`Delete ${many} for good?`}
        verb={`Delete ${many} for good`}
        act={() => act({ action: 'delete' }, 'deleted for good')}
      >
        <p>This cannot be undone. The history of {them} is deleted too.</p>
        <Titles posts={posts} />
      </Confirm>
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
