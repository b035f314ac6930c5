/** Asks for a picture: one to upload, one of the library or one elsewhere on the web, and what it shows. */
import type { Medium } from '@postrider/sdk'
import type { Editor } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { Images } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { api } from '../../../api.ts'
import { ChoosePicture } from '../../../media/choose-picture.tsx'
import { UploadButton, UploadProgress } from '../../../media/upload-parts.tsx'
import { useUpload } from '../../../media/use-upload.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field, Input } from '../../../ui/field.tsx'
import { imageAddress } from './addresses.ts'

const WRONG = 'Upload a picture, choose one, or enter the address of one on the web, starting with http or https.'

type AskPictureProps = {
  editor: Editor
  /** Pictures to upload, which were dropped or pasted; each is asked for by itself. */
  files: readonly File[]
  onDone: () => void
}

/** The dialog. What is inserted comes where the selection is; a picture that is selected is changed. */
export function AskPicture({ editor, files, onDone }: AskPictureProps) {
  const selected = pictureOf(editor)
  const [address, setAddress] = useState(String(selected?.attrs.src ?? ''))
  const [alt, setAlt] = useState(String(selected?.attrs.alt ?? ''))
  const [medium, setMedium] = useState<Medium>()
  const [waiting, setWaiting] = useState(files)
  const [isWrong, setWrong] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const take = (chosen: Medium) => {
    setChoosing(false)
    setMedium(chosen)
    setAddress(chosen.url)
    setAlt((written) => written || chosen.alt)
    setWrong(false)
  }
  const { state, begin, cancel } = useUpload(take)
  const next = ([file, ...others]: readonly File[]) => {
    setWaiting(others)
    if (file !== undefined) void begin(file)
  }
  const start = useEffectEvent(() => next(waiting))
  useEffect(() => start(), [])
  const close = () => {
    onDone()
    // After the dialog has restored the focus.
    requestAnimationFrame(() => editor.isDestroyed || editor.commands.focus())
  }
  const submit = (event: React.SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!put(editor, address, alt)) return setWrong(true)
    // What was said of it here is proposed the next time; if that is not kept, nothing is lost.
    if (medium?.url === address && medium.alt === '' && alt.trim() !== '')
      void api.media.update(medium.id, { alt: alt.trim() }).catch(() => {})
    if (waiting.length === 0) return close()
    setAddress('')
    setAlt('')
    next(waiting)
  }
  const isBusy = state !== undefined && 'share' in state
  return (
    <>
      <Dialog open onOpenChange={close} title="Picture">
        <form className="grid grid-cols-1 gap-4" onSubmit={submit} noValidate>
          {state === undefined ? (
            <div className="flex flex-wrap gap-2">
              <UploadButton several onFiles={next} />
              <Button icon={<Images />} onClick={() => setChoosing(true)}>
                Choose from the library
              </Button>
            </div>
          ) : (
            <UploadProgress state={state} onCancel={cancel} />
          )}
          <Field label="Address" error={isWrong ? WRONG : undefined}>
            <Input
              type="url"
              inputMode="url"
              value={address}
              onChange={({ target }) => setAddress(target.value)}
              autoComplete="off"
            />
          </Field>
          <Field label="Description" hint="For readers who cannot see it. Leave it empty for decoration.">
            <Input
              value={alt}
              onChange={({ target }) => setAlt(target.value)}
              maxLength={1000}
              autoFocus={files.length > 0}
            />
          </Field>
          <div className="flex justify-end gap-2">
            <Button kind="primary" type="submit" busy={isBusy}>
              {selected === undefined ? 'Insert' : 'Change'}
            </Button>
          </div>
        </form>
      </Dialog>
      {isChoosing && <ChoosePicture onChoose={take} onClose={() => setChoosing(false)} />}
    </>
  )
}

/** The picture that is selected, if one is. */
function pictureOf(editor: Editor) {
  const { selection } = editor.state
  return selection instanceof NodeSelection && selection.node.type.name === 'image' ? selection.node : undefined
}

/** False when the address is not one that posts may have. What else is known of a picture, its title and its link, stays. */
function put(editor: Editor, address: string, alt: string): boolean {
  const src = imageAddress(address.trim())
  if (src === undefined) return false
  const chain = editor.chain().focus()
  const attrs = { src, alt: alt.trim() }
  return pictureOf(editor) === undefined
    ? chain.insertContent([{ type: 'image', attrs }]).run()
    : chain.updateAttributes('image', attrs).run()
}
