import type { DocNode } from '@postrider/server/posts/body/schema'
import { countWords, docToText } from '@postrider/server/posts/body/text'
import { Link } from '@tanstack/react-router'
import type { Editor } from '@tiptap/core'
import { Selection } from '@tiptap/pm/state'
import { Save, Send, SlidersHorizontal } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { counted } from '../../format.ts'
import { queryClient } from '../../queries.ts'
import { useAction } from '../../shell/actions.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'
import { useTitle } from '../../ui/title.ts'
import type { Body } from './draft.ts'
import { Outline } from './outline.tsx'
import { Publication } from './publishing/publication.tsx'
import { Publish, type Publishing } from './publishing/publish-dialog.tsx'
import { Report } from './report.tsx'
import { ConflictScreen } from './saving/conflict-screen.tsx'
import { useOnlyHere } from './saving/one-tab.ts'
import type { OpenPost } from './saving/open-post.ts'
import { SaveState } from './saving/save-state.tsx'
import { Unsaved } from './saving/unsaved-drafts.tsx'
import { Settings } from './settings/settings.tsx'
import { Text } from './text/text-forms.tsx'

/** An open dialog in front of the text. */
type Asked = { kind: 'publish'; begin: Publishing } | { kind: 'unpublish' } | { kind: 'discard' } | { kind: 'settings' }

/** `writtenBy`: the job that wrote the post. */
type WritingProps = { openPost: OpenPost; accountId: string; writtenBy: string | undefined }

/** The screen of an open post. */
export function Writing({ openPost, accountId, writtenBy }: WritingProps) {
  const view = useSyncExternalStore(openPost.subscribe, openPost.view)
  const { post, draft, dirty, conflict, problem } = view
  const { here, takeOver } = useOnlyHere(post?.id ?? openPost.id)
  useEffect(() => openPost.setReadOnly(!here), [openPost, here])
  const [editor, setEditor] = useState<Editor>()
  const [asked, setAsked] = useState<Asked>()
  const wide = useWide()
  const title = draft.title.trim() || 'Untitled'
  const status = post?.status ?? 'draft'
  const publish = (begin: Publishing) => setAsked({ kind: 'publish', begin })
  const update = async () => {
    if (!(await openPost.save())) return
    await queryClient.invalidateQueries({ queryKey: ['deliveries'] })
    publish('arriving')
  }

  useTitle(title)
  useAction({ does: 'Save', group: 'This post', keys: 'mod+s' }, () => here && void openPost.save())
  useAction(
    { does: status === 'published' ? 'Send to sites' : 'Publish', group: 'This post', keys: 'mod+shift+p' },
    () => here && publish('now'),
  )

  if (conflict !== undefined) return <ConflictScreen openPost={openPost} conflict={conflict} />
  const parts = { openPost, view, editable: here }
  const publication = <Publication {...parts} onPublish={publish} onUnpublish={() => setAsked({ kind: 'unpublish' })} />
  return (
    <>
      <header className="sticky top-13 z-20 flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-paper px-4 py-2 sm:px-6 lg:top-0 lg:px-8">
        <SaveState view={view} savesByItself={openPost.savesByItself} />
        <div className="ml-auto flex items-center gap-2">
          {problem?.kind === 'gone' && <Button onClick={() => void openPost.saveAsNew()}>Save as a new post</Button>}
          {!wide && (
            <Button icon={<SlidersHorizontal />} onClick={() => setAsked({ kind: 'settings' })}>
              Settings
            </Button>
          )}
          {!openPost.savesByItself && dirty ? (
            <>
              <Button disabled={!here || view.saving} onClick={() => setAsked({ kind: 'discard' })}>
                Discard
              </Button>
              <Button kind="primary" icon={<Save />} busy={view.saving} disabled={!here} onClick={() => void update()}>
                Update
              </Button>
            </>
          ) : (
            status !== 'published' && (
              <Button kind="primary" icon={<Send />} disabled={!here} onClick={() => publish('now')}>
                Publish
              </Button>
            )
          )}
        </div>
      </header>
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
          {post === undefined && <Unsaved accountId={accountId} current={openPost.id} />}
          {post !== undefined && writtenBy !== undefined && <Report jobId={writtenBy} postId={post.id} />}
          <Title
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
          <Sheet title="Outline" aside={<Words body={draft.body} />}>
            <Outline body={draft.body} editor={editor} />
          </Sheet>
          {wide && <Settings {...parts} />}
        </aside>
      </div>
      {asked?.kind === 'settings' && !wide && (
        <Dialog open quiet onOpenChange={() => setAsked(undefined)} title="Settings">
          <div className="grid grid-cols-1 gap-5 p-px">
            <Settings {...parts} />
          </div>
        </Dialog>
      )}
      {asked?.kind === 'publish' && (
        <Publish openPost={openPost} view={view} begin={asked.begin} onClose={() => setAsked(undefined)} />
      )}
      <Confirm
        open={asked?.kind === 'discard'}
        onOpenChange={() => setAsked(undefined)}
        title="Discard your changes?"
        verb="Discard changes"
        act={async () => openPost.discard()}
      >
        <p>“{post?.title ?? title}” goes back to what your sites have. What was changed here since is gone.</p>
      </Confirm>
      <Confirm
        open={asked?.kind === 'unpublish'}
        onOpenChange={() => setAsked(undefined)}
        title="Take the post off its sites?"
        verb="Unpublish"
        act={() => openPost.command({ status: 'draft' })}
      >
        <p>
          The sites that have “<bdi>{title}</bdi>” will be asked to remove it, and it becomes a draft again, with all
          that is written here.
        </p>
      </Confirm>
    </>
  )
}

const WIDE = matchMedia('(min-width: 80rem)')

/** Whether there is room beside the text. */
function useWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      WIDE.addEventListener('change', listener)
      return () => WIDE.removeEventListener('change', listener)
    },
    () => WIDE.matches,
  )
}

/** Moves the caret to the start of the text at once, because what is typed next belongs there. */
function toStart({ view }: Editor): void {
  view.focus()
  view.dispatch(view.state.tr.setSelection(Selection.atStart(view.state.doc)))
}

type TitleProps = { value: string; readOnly: boolean; onChange: (value: string) => void; onEnter: () => void }

/** The title's field, as high as its text; the title itself is one line. */
function Title({ value, readOnly, onChange, onEnter }: TitleProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (field.current?.value === '') field.current.focus({ preventScroll: true })
  }, [])
  return (
    <textarea
      ref={field}
      aria-label="Title"
      dir="auto"
      placeholder="Title"
      rows={1}
      maxLength={300}
      readOnly={readOnly}
      value={value}
      onChange={({ target }) => onChange(target.value.replace(/\s*\n\s*/g, ' '))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onEnter()
      }}
      className="field-sizing-content w-full resize-none rounded-sm bg-paper font-serif text-3xl font-[650] tracking-[-0.01em] text-balance focus-visible:outline-none"
    />
  )
}

/** The number of words, as the service counts them. */
function Words({ body }: { body: Body }) {
  const now = useDeferredValue(body)
  const words = useMemo(() => countWords(textOf(now)), [now])
  return <span className="figures">{counted(words, 'word')}</span>
}

function textOf({ form, value }: Body): string {
  if (form === 'json') return docToText(value as DocNode)
  if (form === 'markdown') return value
  // Nothing in a parsed document runs or loads.
  return new DOMParser().parseFromString(value, 'text/html').body.textContent ?? ''
}
