import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { percent } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PICTURE_TYPES } from './upload.ts'
import type { Uploading } from './use-upload.ts'

type UploadButtonProps = { onFiles: (files: File[]) => void; kind?: 'primary' | 'secondary'; several?: boolean }

/** A button that lets somebody choose pictures on their device. */
export function UploadButton({ onFiles, kind = 'secondary', several = false }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button kind={kind} icon={<Upload />} onClick={() => input.current?.click()}>
        {several ? 'Upload pictures' : 'Upload a picture'}
      </Button>
      <input
        ref={input}
        type="file"
        accept={PICTURE_TYPES}
        multiple={several}
        hidden
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          target.value = '' // the same file can be chosen again
          if (files.length > 0) onFiles(files)
        }}
      />
    </>
  )
}

/** How far an upload is, with a button to cancel it, or why it failed. */
export function UploadProgress({ state, onCancel }: { state: Uploading; onCancel: () => void }) {
  if ('problem' in state) return <Notice tone="failed">{state.problem}</Notice>
  const { name, share } = state
  return (
    <div className="flex items-center gap-3">
      <div className="min-w-0 flex-1">
        <p dir="auto" className="clip text-sm text-quiet">
          {share < 1 ? `Uploading ${name} · ${percent(share)}` : `Looking at ${name} …`}
        </p>
        <progress aria-label={`Uploading ${name}`} value={share} max={1} className="h-1.5 w-full accent-ink" />
      </div>
      <Button size="sm" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}
