import { Link } from '@tanstack/react-router'
import type { Editor } from '@tiptap/core'
import { Selection } from '@tiptap/pm/state'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useDuplicate } from '../../posts/duplicate.ts'
import { queryClient } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { useTitle } from '../../ui/title.ts'
import { Bar } from './bar.tsx'
import { ConfirmDiscard, ConfirmTrash } from './confirmations.tsx'
import { HistoryDialog } from './history/history-dialog.tsx'
import { Outline } from './outline.tsx'
import { AudienceDialog } from './publishing/audience-dialog.tsx'
import { OriginalDialog } from './publishing/original-dialog.tsx'
import { Proposed } from './publishing/proposed.tsx'
import { Publication } from './publishing/publication.tsx'
import { PublishDialog, type Publishing } from './publishing/publish-dialog.tsx'
import { TakeOffSite } from './publishing/take-off-site.tsx'
import { UnpublishDialog } from './publishing/unpublish-dialog.tsx'
import { Report } from './report.tsx'
import { ConflictScreen } from './saving/conflict-screen.tsx'
import { useOnlyHere } from './saving/one-tab.ts'
import type { OpenPost } from './saving/open-post.ts'
import { Unsaved } from './saving/unsaved-drafts.tsx'
import { Settings } from './settings/settings.tsx'
import { ShareDialog } from './sharing/share-dialog.tsx'
import { Text } from './text/text.tsx'
import { TitleField } from './title-field.tsx'
import { useWide } from './use-wide.ts'
import { WordCount } from './word-count.tsx'

/** An open dialog in front of the text. */
type Asked =
  | { kind: 'publish'; begin: Publishing }
  | { kind: 'sites' }
  | { kind: 'original' }
  | { kind: 'take off'; site: { id: string; name: string } }
  | { kind: 'unpublish' }
  | { kind: 'discard' }
  | { kind: 'share' }
  | { kind: 'trash' }
  | { kind: 'history' }
  | { kind: 'settings' }

/** `writtenBy`: the job that wrote the post. */
type WritingProps = { openPost: OpenPost; accountId: string; writtenBy: string | undefined }

/** The screen of an open post. */
export function Writing({ openPost, accountId, writtenBy }: WritingProps) {
  const view = useSyncExternalStore(openPost.subscribe, openPost.view)
  const { post, draft, conflict } = view
  const { here, takeOver } = useOnlyHere(post?.id ?? openPost.id)
  useEffect(() => openPost.setReadOnly(!here), [openPost, here])
  const [editor, setEditor] = useState<Editor>()
  const [asked, setAsked] = useState<Asked>()
  const wide = useWide()
  const title = draft.title.trim() || 'Untitled'
  const status = post?.status ?? 'draft'
  const close = () => setAsked(undefined)
  const publish = (begin: Publishing) => setAsked({ kind: 'publish', begin })
  const update = async () => {
    if (!(await openPost.update())) return
    await queryClient.invalidateQueries({ queryKey: ['deliveries'] })
    publish('arriving')
  }

  useTitle(title)
  useAction({ does: 'Save', group: 'This post', keys: 'mod+s' }, () => here && void openPost.save())
  useAction(
    { does: status === 'published' ? 'Send to sites' : 'Publish', group: 'This post', keys: 'mod+shift+p' },
    () => here && publish('now'),
  )

  const duplicate = useDuplicate()
  const hasHistory = post !== undefined && post.version > 1
  useAction({ does: 'Duplicate', group: 'This post', hidden: post === undefined, alsoFoundBy: 'copy' }, () => {
    if (post !== undefined) duplicate(post.id)
  })
  useAction(
    { does: 'History', group: 'This post', hidden: !hasHistory, alsoFoundBy: 'versions revisions undo' },
    () => {
      if (hasHistory) setAsked({ kind: 'history' })
    },
  )

  useAction(
    { does: 'Share a preview', group: 'This post', hidden: post === undefined, alsoFoundBy: 'link review' },
    () => {
      if (post !== undefined) setAsked({ kind: 'share' })
    },
  )
  useAction({ does: 'Delete', group: 'This post', hidden: post === undefined, alsoFoundBy: 'trash remove' }, () => {
    if (post !== undefined && here) setAsked({ kind: 'trash' })
  })

  if (conflict !== undefined) return <ConflictScreen openPost={openPost} conflict={conflict} />
  const parts = { openPost, view, editable: here }
  const publication = (
    <Publication
      {...parts}
      onPublish={publish}
      onSites={() => setAsked({ kind: 'sites' })}
      onOriginal={() => setAsked({ kind: 'original' })}
      onTakeOff={(site) => setAsked({ kind: 'take off', site })}
      onUnpublish={() => setAsked({ kind: 'unpublish' })}
      onShare={() => setAsked({ kind: 'share' })}
      onTrash={() => setAsked({ kind: 'trash' })}
    />
  )
  return (
    <>
      <Bar
        {...parts}
        onSettings={wide ? undefined : () => setAsked({ kind: 'settings' })}
        onHistory={hasHistory ? () => setAsked({ kind: 'history' }) : undefined}
        onDiscard={() => setAsked({ kind: 'discard' })}
        onUpdate={() => void update()}
        onPublish={() => publish('now')}
      />
      <div className="mx-auto grid w-full max-w-page grid-cols-1 gap-x-10 gap-y-6 px-4 pt-6 pb-24 sm:px-6 lg:px-8 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="mx-auto grid w-full max-w-(--container-prose) grid-cols-1 content-start gap-4">
          <h1 className="sr-only">{post === undefined ? 'New post' : `Edit “${title}”`}</h1>
          {!here && (
            <Notice
              tone="trying"
              title="This post is open in another tab"
              action={<Button onClick={takeOver}>Write here</Button>}
            >
              It can be written in one tab at a time.
            </Notice>
          )}
          {post !== undefined && (status !== 'published' || view.workingCopy !== undefined) && (
            <Proposed
              postId={post.id}
              isPublished={status === 'published'}
              editable={here}
              onPublish={() => (status === 'published' ? void update() : publish('now'))}
            />
          )}
          {post === undefined && <Unsaved accountId={accountId} current={openPost.id} />}
          {post !== undefined && writtenBy !== undefined && <Report jobId={writtenBy} postId={post.id} />}
          <TitleField
            value={draft.title}
            readOnly={!here}
            onChange={(next) => openPost.change({ title: next })}
            onEnter={() => editor && toStart(editor)}
          />
          <Text key={view.epoch} openPost={openPost} view={view} editable={here} onEditor={setEditor} />
        </div>
        <aside
          aria-label="About this post"
          className="grid grid-cols-1 content-start gap-5 xl:sticky xl:top-20 xl:max-h-[calc(100dvh-6rem)] xl:overflow-y-auto xl:p-px"
        >
          {publication}
          {post === undefined && (
            <p className="px-1 text-sm text-quiet">
              Or have{' '}
              <Link to="/posts/generate" className="font-[550] text-ink underline underline-offset-3">
                a draft written
              </Link>{' '}
              from a topic.
            </p>
          )}
          <Sheet title="Outline" aside={<WordCount body={draft.body} />}>
            <Outline body={draft.body} editor={editor} />
          </Sheet>
          {wide && <Settings {...parts} />}
        </aside>
      </div>
      {asked?.kind === 'settings' && !wide && (
        <Dialog open quiet onOpenChange={close} title="Settings">
          <div className="grid grid-cols-1 gap-5 p-px">
            <Settings {...parts} />
          </div>
        </Dialog>
      )}
      {asked?.kind === 'publish' && (
        <PublishDialog openPost={openPost} view={view} begin={asked.begin} onClose={close} />
      )}
      <ConfirmDiscard openPost={openPost} view={view} open={asked?.kind === 'discard'} onClose={close} />
      <ConfirmTrash openPost={openPost} view={view} open={asked?.kind === 'trash'} onClose={close} />
      {asked?.kind === 'share' && post !== undefined && <ShareDialog postId={post.id} onClose={close} />}
      {asked?.kind === 'history' && <HistoryDialog {...parts} onClose={close} />}
      {asked?.kind === 'sites' && <AudienceDialog openPost={openPost} view={view} onClose={close} />}
      {asked?.kind === 'original' && <OriginalDialog openPost={openPost} view={view} onClose={close} />}
      {asked?.kind === 'take off' && <TakeOffSite openPost={openPost} site={asked.site} onClose={close} />}
      {asked?.kind === 'unpublish' && <UnpublishDialog openPost={openPost} view={view} onClose={close} />}
    </>
  )
}

/** Moves the caret to the start of the text at once, because what is typed next belongs there. */
function toStart({ view }: Editor): void {
  view.focus()
  view.dispatch(view.state.tr.setSelection(Selection.atStart(view.state.doc)))
}
