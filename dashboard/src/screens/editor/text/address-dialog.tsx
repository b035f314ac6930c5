import type { Editor } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { type ReactNode, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Input } from '../../../ui/field.tsx'
import { textOf } from '../../../ui/form.ts'
import { embedOf, imageAddress, linkAddress } from './addresses.ts'

/** What the address is for. */
export type Asking = { kind: 'link' | 'image' | 'embed' }

const WORDS = {
  link: {
    title: 'Link',
    wrong: 'A link must start with http, https, mailto or tel, or be a path on the site, such as /about.',
  },
  image: { title: 'Picture', wrong: 'Enter the address of a picture on the web, starting with http or https.' },
  embed: { title: 'Video', wrong: 'Only videos on YouTube and Vimeo can be shown. Paste the address of one.' },
}

/** Asks for the address of a link, a picture or a video, and puts it where the selection is. */
export function AskAddress({
  editor,
  asking,
  onDone,
}: {
  editor: Editor
  asking: Asking | undefined
  onDone: () => void
}) {
  if (asking === undefined) return null
  return <Ask key={asking.kind} editor={editor} kind={asking.kind} onDone={onDone} />
}

function Ask({ editor, kind, onDone }: { editor: Editor; kind: Asking['kind']; onDone: () => void }) {
  const [wrong, setWrong] = useState(false)
  const now = standing(editor, kind)
  const { title, wrong: why } = WORDS[kind]
  const close = () => {
    onDone()
    // After the dialog has restored the focus.
    requestAnimationFrame(() => editor.commands.focus())
  }
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    if (put(editor, kind, { address: textOf(form, 'address').trim(), alt: textOf(form, 'alt') })) close()
    else setWrong(true)
  }
  const more: Record<Asking['kind'], ReactNode> = {
    link: null,
    embed: null,
    image: (
      <Field label="Description" hint="For readers who cannot see it. Leave it empty for decoration.">
        <Input name="alt" defaultValue={now.alt} maxLength={1000} />
      </Field>
    ),
  }
  return (
    <Dialog open onOpenChange={close} title={title}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <Field label="Address" error={wrong ? why : undefined}>
          <Input name="address" type="url" inputMode="url" defaultValue={now.address} autoFocus autoComplete="off" />
        </Field>
        {more[kind]}
        <div className="flex justify-end gap-2">
          {kind === 'link' && now.address !== '' && (
            <Button
              onClick={() => {
                editor.chain().extendMarkRange('link').unsetLink().run()
                close()
              }}
            >
              Remove the link
            </Button>
          )}
          <Button kind="primary" type="submit">
            {now.address === '' ? 'Insert' : 'Change'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The current address and alternative text. */
function standing(editor: Editor, kind: Asking['kind']): { address: string; alt: string } {
  if (kind === 'link') return { address: String(editor.getAttributes('link').href ?? ''), alt: '' }
  const picture = kind === 'image' ? pictureOf(editor) : undefined
  return picture === undefined
    ? { address: '', alt: '' }
    : { address: String(picture.attrs.src), alt: String(picture.attrs.alt) }
}

/** The picture that is selected, if one is. */
function pictureOf(editor: Editor) {
  const { selection } = editor.state
  return selection instanceof NodeSelection && selection.node.type.name === 'image' ? selection.node : undefined
}

/** False when the address is not one that posts may have. */
function put(editor: Editor, kind: Asking['kind'], { address, alt }: { address: string; alt: string }): boolean {
  const chain = editor.chain().focus()
  if (kind === 'link') {
    // A text that looks like a host gets a scheme: people leave it out.
    const href = linkAddress(/^[\w-]+(\.[\w-]+)+([/?#].*)?$/.test(address) ? `https://${address}` : address)
    if (href === undefined) return false
    if (editor.state.selection.empty && !editor.isActive('link'))
      return chain.insertContent({ type: 'text', text: address, marks: [{ type: 'link', attrs: { href } }] }).run()
    return chain.extendMarkRange('link').setLink({ href }).run()
  }
  if (kind === 'image') {
    const src = imageAddress(address)
    if (src === undefined) return false
    const attrs = { src, alt: alt.trim() }
    // What else is known of the picture, its title and its link, stays.
    return pictureOf(editor) === undefined
      ? chain.insertContent({ type: 'image', attrs }).run()
      : chain.updateAttributes('image', attrs).run()
  }
  const attrs = embedOf(address)
  return attrs !== undefined && chain.insertContent({ type: 'embed', attrs }).run()
}
