import { History, Save, Send, SlidersHorizontal } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { View } from './saving/edit-state.ts'
import type { OpenPost } from './saving/open-post.ts'
import { SaveState } from './saving/save-state.tsx'

type BarProps = {
  openPost: OpenPost
  view: View
  editable: boolean
  /** Opens the settings; undefined when they are beside the text. */
  onSettings: (() => void) | undefined
  /** Opens the history; undefined where there is none. */
  onHistory: (() => void) | undefined
  onDiscard: () => void
  onUpdate: () => void
  onPublish: () => void
}

/** The bar above the post: whether it is saved, and the next step. */
export function Bar({ openPost, view, editable, onSettings, onHistory, onDiscard, onUpdate, onPublish }: BarProps) {
  const { post, workingCopy, dirty, problem, saving } = view
  return (
    <header className="sticky top-13 z-20 flex min-h-13 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-paper px-4 py-2 sm:px-6 lg:top-0 lg:px-8">
      <SaveState view={view} isPublished={openPost.isPublished} />
      <div className="ml-auto flex items-center gap-2">
        {problem?.kind === 'gone' && <Button onClick={() => void openPost.saveAsNew()}>Save as a new post</Button>}
        {onHistory !== undefined && (
          <Button kind="quiet" icon={<History />} onClick={onHistory}>
            History
          </Button>
        )}
        {onSettings !== undefined && (
          <Button icon={<SlidersHorizontal />} onClick={onSettings}>
            Settings
          </Button>
        )}
        {openPost.isPublished && (dirty || workingCopy !== undefined) ? (
          <>
            <Button disabled={!editable || saving} onClick={onDiscard}>
              Discard
            </Button>
            <Button kind="primary" icon={<Save />} busy={saving} disabled={!editable} onClick={onUpdate}>
              Update
            </Button>
          </>
        ) : (
          post?.status !== 'published' && (
            <Button kind="primary" icon={<Send />} disabled={!editable} onClick={onPublish}>
              Publish
            </Button>
          )
        )}
      </div>
    </header>
  )
}
