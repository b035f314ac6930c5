/**
 * The text of a post in its three forms. The form edited last is the text; the service derives the other two, and viewing one
 * changes nothing. The rich text editor stays alive while another form is shown, so that its changes can still be undone.
 */
import type { ConversionWarning } from '@postrider/sdk'
import type { Editor } from '@tiptap/core'
import { clsx } from 'clsx'
import { Plus } from 'lucide-react'
import { Tabs } from 'radix-ui'
import { useRef, useState } from 'react'
import { api, sentence } from '../../../api.ts'
import { counted } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type Body, type Doc, type Form, isSame } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import { lostWords } from '../saving/lost-words.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { BLOCKS, type Block } from './blocks.tsx'
import { Canvas } from './canvas.tsx'
import { Preview } from './preview.tsx'

type Tab = 'json' | 'markdown' | 'html' | 'preview'

const TABS: ReadonlyArray<[tab: Tab, name: string]> = [
  ['json', 'Rich text'],
  ['markdown', 'Markdown'],
  ['html', 'HTML'],
  ['preview', 'Preview'],
]

type TextProps = { openPost: OpenPost; view: View; editable: boolean; onEditor: (editor: Editor | undefined) => void }

/** The text's editors. Their key changes, so that they are rebuilt, when anything but typing replaces the text. */
export function Text({ openPost, view, editable, onEditor }: TextProps) {
  const first = view.draft.body
  const [tab, setTab] = useState<Tab>(first.form)
  const [busy, setBusy] = useState<Tab>()
  const [rich, setRich] = useState(first.form === 'json' ? { doc: first.value, edition: 0 } : undefined)
  const [source, setSource] = useState(first.form === 'json' ? '' : first.value)
  const [preview, setPreview] = useState('')
  const [lost, setLost] = useState<readonly string[]>([])
  const [asked, ask] = useState<Block>()
  const editor = useRef<Editor>(undefined)

  const show = async (next: Tab) => {
    if (next === tab || busy !== undefined) return
    setBusy(next)
    try {
      for (;;) {
        const { body } = openPost.view().draft
        const text = next === 'preview' ? await htmlOf(openPost) : await formOf(openPost, next)
        const dropped = body.form === 'html' && next !== 'html' ? lostWords(body.value, await htmlOf(openPost)) : []
        if (openPost.view().draft.body !== body) continue // somebody went on typing
        // All at once: in between, what is typed in one form would be taken for the other.
        if (next === 'preview') setPreview(String(text))
        else if (next !== 'json') setSource(String(text))
        // The rich text is still there if it has not been changed in another form.
        else if (body.form !== 'json') setRich((before) => ({ doc: text as Doc, edition: (before?.edition ?? 0) + 1 }))
        setLost(dropped)
        return setTab(next)
      }
    } catch (error) {
      toast({ tone: 'failed', text: `The text could not be converted. ${sentence(error)}` })
    } finally {
      setBusy(undefined)
    }
  }
  const type = (form: 'markdown' | 'html', value: string) => {
    setSource(value)
    openPost.change({ body: { form, value } })
  }
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
        {tab === 'json' && editable && <Insert onChoose={ask} editor={editor} />}
      </div>
      {missing.length > 0 && <Lost words={missing} back={tab === 'html' ? undefined : () => void show('html')} />}
      {view.warnings.length > 0 && <Warnings warnings={view.warnings} />}
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

/** The current text in a form: as typed, as the service stores it, or as the service would convert it. */
async function formOf(openPost: OpenPost, form: Form): Promise<Body['value']> {
  for (;;) {
    const { draft, saved, post } = openPost.view()
    const { body } = draft
    if (body.form === form) return body.value
    if (post !== undefined && isSame(body, saved.body)) return post.body[form]
    const converted = await api.posts.convert({ [body.form]: body.value })
    if (openPost.view().draft.body === body) return converted[form]
  }
}

/** The current text as sites get it: typed HTML is sanitised first. */
async function htmlOf(openPost: OpenPost): Promise<string> {
  const { draft, saved, post } = openPost.view()
  const { body } = draft
  if (post !== undefined && isSame(body, saved.body)) return post.body.html
  return (await api.posts.convert({ [body.form]: body.value })).html
}

function Insert({
  editor,
  onChoose,
}: {
  editor: React.RefObject<Editor | undefined>
  onChoose: (block: Block) => void
}) {
  return (
    <div className="ml-auto pb-1">
      <Menu
        trigger={
          <Button kind="quiet" size="sm" icon={<Plus />}>
            <span className="max-sm:sr-only">Insert</span>
          </Button>
        }
      >
        {BLOCKS.map((block) => (
          <MenuItem
            key={block.name}
            icon={block.icon}
            onSelect={() => {
              // After the menu has restored the focus.
              requestAnimationFrame(() => {
                const chain = editor.current?.chain().focus()
                if ('run' in block) chain && block.run(chain).run()
                else onChoose(block)
              })
            }}
          >
            {block.name}
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}

/** What the service said of the text when it stored it. */
function Warnings({ warnings }: { warnings: readonly ConversionWarning[] }) {
  return (
    <div className="mb-4">
      <Notice tone="trying" title="Not everything in the text could be kept">
        <ul className="grid list-disc gap-1 pl-4">
          {warnings.map(({ code, message, count }) => (
            <li key={`${code} ${message}`}>
              {message}
              {count > 1 && ` (${counted(count, 'time')})`}
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function Lost({ words, back }: { words: readonly string[]; back: (() => void) | undefined }) {
  const shown = words.slice(0, 12).join(' ')
  return (
    <div className="mb-4">
      <Notice
        tone="trying"
        title="Some words of the HTML are not kept"
        action={
          back && (
            <Button size="sm" onClick={back}>
              Back to the HTML
            </Button>
          )
        }
      >
        They are in elements that a post cannot have, such as scripts, styles and forms: “{shown}
        {words.length > 12 ? ' …' : ''}”
      </Notice>
    </div>
  )
}
