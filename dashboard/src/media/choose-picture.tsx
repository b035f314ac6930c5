import type { Medium } from '@postrider/sdk'
import { Dialog } from '../ui/dialog.tsx'
import { Library } from './library.tsx'
import { UploadButton, UploadProgress } from './upload-parts.tsx'
import { useUpload } from './use-upload.ts'

/** A dialog that chooses a picture of the library, or uploads one. */
export function ChoosePicture({ onChoose, onClose }: { onChoose: (medium: Medium) => void; onClose: () => void }) {
  const { state, begin, cancel } = useUpload(onChoose)
  const upload = <UploadButton onFiles={([file]) => file !== undefined && void begin(file)} />
  return (
    <Dialog open wide onOpenChange={onClose} title="Choose a picture" actions={upload}>
      <div className="grid grid-cols-1 gap-4">
        {state !== undefined && <UploadProgress state={state} onCancel={cancel} />}
        <Library dense onChoose={onChoose} upload={null} />
      </div>
    </Dialog>
  )
}
