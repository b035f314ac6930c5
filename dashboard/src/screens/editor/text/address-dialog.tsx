import type { Editor } from '@tiptap/core'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Input } from '../../../ui/field.tsx'
import { textOf } from '../../../ui/form.ts'
import { embedOf, linkAddress } from './addresses.ts'
import { AskPicture } from './picture-dialog.tsx'

/** What the address is for. `files`: pictures to upload first. */
export type Asking = { kind: 'link' | 'image' | 'embed'; files?: readonly File[] }

const WORDS = {
  link: {
    title: 'Link',
    wrong: 'A link must start with http, https, mailto or tel, or be a path on the site, such as /about.',
  },
  embed: { title: 'Video', wrong: 'Only videos on YouTube and Vimeo can be shown. Paste the address of one.' },
}

/** Asks for the address of a link or a video, or for a picture, and puts it where the selection is. */
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
  const { kind, files = [] } = asking
  if (kind === 'image') return <AskPicture editor={editor} files={files} onDone={onDone} />
  return <Ask key={kind} editor={editor} kind={kind} onDone={onDone} />
}

function Ask({ editor, kind, onDone }: { editor: Editor; kind: 'link' | 'embed'; onDone: () => void }) {
  const [wrong, setWrong] = useState(false)
  const address = kind === 'link' ? String(editor.getAttributes('link').href ?? '') : ''
  const { title, wrong: why } = WORDS[kind]
  const close = () => {
    onDone()
    // After the dialog has restored the focus.
    requestAnimationFrame(() => editor.isDestroyed || editor.commands.focus())
  }
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    if (put(editor, kind, textOf(form, 'address').trim())) close()
    else setWrong(true)
  }
  return (
    <Dialog open onOpenChange={close} title={title}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <Field label="Address" error={wrong ? why : undefined}>
          <Input name="address" type="url" inputMode="url" defaultValue={address} autoFocus autoComplete="off" />
        </Field>
        <div className="flex justify-end gap-2">
          {kind === 'link' && address !== '' && (
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
            {address === '' ? 'Insert' : 'Change'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** False when the address is not one that posts may have. */
function put(editor: Editor, kind: 'link' | 'embed', address: string): boolean {
  const chain = editor.chain().focus()
  if (kind === 'link') {
    // A text that looks like a host gets a scheme: people leave it out.
    const href = linkAddress(/^[\w-]+(\.[\w-]+)+([/?#].*)?$/.test(address) ? `https://${address}` : address)
    if (href === undefined) return false
    if (editor.state.selection.empty && !editor.isActive('link'))
      return chain.insertContent({ type: 'text', text: address, marks: [{ type: 'link', attrs: { href } }] }).run()
    return chain.extendMarkRange('link').setLink({ href }).run()
  }
  const attrs = embedOf(address)
  return attrs !== undefined && chain.insertContent({ type: 'embed', attrs }).run()
}
