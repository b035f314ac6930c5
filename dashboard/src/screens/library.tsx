/** All pictures of the account. */
import type { Medium } from '@postrider/sdk'
import { useState } from 'react'
import { Library as Pictures } from '../media/library.tsx'
import { picturesOf } from '../media/upload.ts'
import { UploadButton, UploadProgress } from '../media/upload-parts.tsx'
import { useUpload } from '../media/use-upload.ts'
import { Page } from '../ui/page.tsx'
import { PictureDialog } from './library/picture-dialog.tsx'

/** The screen. Pictures can be dropped anywhere on it; several are uploaded one after the other. */
export function Library() {
  const [shown, setShown] = useState<Medium>()
  const [waiting, setWaiting] = useState<readonly File[]>([])
  const { state, begin, cancel } = useUpload((medium) => {
    if (waiting.length === 0) setShown(medium)
    else next(waiting)
  })
  const next = ([file, ...others]: readonly File[]) => {
    setWaiting(others)
    if (file !== undefined) void begin(file)
  }
  const upload = <UploadButton kind="primary" several onFiles={next} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        next(picturesOf(event.dataTransfer))
      }}
    >
      <Page title="Media" lead="Pictures for your posts. Drop some here to upload them." actions={upload}>
        {state !== undefined && <UploadProgress state={state} onCancel={cancel} />}
        <Pictures onChoose={setShown} upload={upload} />
      </Page>
      {shown !== undefined && <PictureDialog key={shown.id} medium={shown} onClose={() => setShown(undefined)} />}
    </div>
  )
}
