/**
 * The text of a post in its three forms. The form edited last is the text; the service derives the other two, and viewing one
 * changes nothing. The rich text editor stays alive while another form is shown, so that its changes can still be undone.
 */
import type { Editor } from '@tiptap/core'
import { clsx } from 'clsx'
import { Tabs } from 'radix-ui'
import { useRef, useState } from 'react'
import { Spinner } from '../../../ui/spinner.tsx'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'
import type { Block } from './blocks.tsx'
import { Canvas } from './canvas.tsx'
import { InsertMenu } from './insert-menu.tsx'
import { Lost, Warnings } from './lost-notices.tsx'
import { Preview } from './preview.tsx'
import { type Tab, useForms } from './use-forms.ts'

const TABS: ReadonlyArray<[tab: Tab, name: string]> = [
  ['json', 'Rich text'],
  ['markdown', 'Markdown'],
  ['html', 'HTML'],
  ['preview', 'Preview'],
]

type TextProps = { openPost: OpenPost; view: View; editable: boolean; onEditor: (editor: Editor | undefined) => void }

/** The text's editors. Their key changes, so that they are rebuilt, when anything but typing replaces the text. */
export function Text({ openPost, view, editable, onEditor }: TextProps) {
  const { tab, busy, rich, source, preview, lost, warnings, show, type } = useForms(openPost, view.draft.body)
  const [asked, ask] = useState<Block>()
  const editor = useRef<Editor>(undefined)
  const shownWarnings = warnings.length > 0 ? warnings : view.warnings
  const missing = tab === 'html' ? view.lost : lost

  return (
    <Tabs.Root value={tab} onValueChange={(next) => void show(next as Tab)} activationMode="manual">
      <div className="mb-5 flex items-center gap-1 border-b border-line">
        <Tabs.List aria-label="Form of the text" className="-mb-px flex min-w-0 overflow-x-auto">
          {TABS.map(([name, label]) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className={clsx(
                'flex h-10 items-center gap-1.5 border-b-2 border-transparent px-2.5 whitespace-nowrap text-quiet sm:px-3',
                'hover:text-ink data-[state=active]:border-ink data-[state=active]:font-[620] data-[state=active]:text-ink',
                'focus-visible:-outline-offset-2',
              )}
            >
              {label}
              {busy === name && <Spinner />}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {tab === 'json' && editable && <InsertMenu onChoose={ask} editor={editor} />}
      </div>
      {missing.length > 0 && <Lost words={missing} back={tab === 'html' ? undefined : () => void show('html')} />}
      {shownWarnings.length > 0 && <Warnings warnings={shownWarnings} />}
      <Tabs.Content value="json" forceMount hidden={tab !== 'json'} tabIndex={-1}>
        {rich !== undefined && (
          <Canvas
            key={rich.edition}
            doc={rich.doc}
            editable={editable}
            asked={asked}
            onAsked={() => ask(undefined)}
            onChange={(value) => openPost.change({ body: { form: 'json', value } })}
            onEditor={(made) => {
              editor.current = made
              onEditor(made)
            }}
          />
        )}
      </Tabs.Content>
      {(['markdown', 'html'] as const).map((form) => (
        <Tabs.Content key={form} value={form} tabIndex={-1}>
          <textarea
            aria-label={form === 'html' ? 'HTML' : 'Markdown'}
            dir="auto"
            value={source}
            readOnly={!editable}
            onChange={({ target }) => type(form, target.value)}
            spellCheck={form === 'markdown'}
            className="field-sizing-content min-h-[50dvh] w-full resize-y rounded-md bg-sheet p-4 font-mono text-sm leading-6 ring-1 ring-line ring-inset focus:ring-2 focus:ring-focus focus:outline-none"
          />
        </Tabs.Content>
      ))}
      <Tabs.Content value="preview" tabIndex={-1}>
        {tab === 'preview' && <Preview title={view.draft.title} html={preview} />}
      </Tabs.Content>
    </Tabs.Root>
  )
}
