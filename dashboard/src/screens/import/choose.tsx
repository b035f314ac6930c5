import { useMutation } from '@tanstack/react-query'
import { FileUp } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { api, sentence } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/page.tsx'

/** The first step: a file, chosen or dropped. */
export function Choose({ onChosen }: { onChosen: (id: string) => void }) {
  const field = useRef<HTMLInputElement>(null)
  const fieldId = useId()
  const [isOver, setOver] = useState(false)
  const upload = useMutation({
    mutationFn: (file: File) => api.imports.create(file),
    onSuccess: ({ import_id: id }) => {
      void queryClient.invalidateQueries({ queryKey: ['imports'] })
      onChosen(id)
    },
  })
  const take = (file: File | undefined) => {
    if (file !== undefined && !upload.isPending) upload.mutate(file)
  }
  return (
    <Sheet title="Import posts" aside="Step 1 of 3: choose a file">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button is for everybody. */}
      <div
        className={`grid justify-items-center gap-3 rounded-md border border-dashed px-4 py-8 text-center ${isOver ? 'border-edge bg-hover' : 'border-line'}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer.files[0])
        }}
      >
        <label htmlFor={fieldId} className="max-w-96 text-balance text-quiet">
          Drop an export file here, or choose it. Nothing is imported before you have seen what will come of it.
        </label>
        <input
          ref={field}
          id={fieldId}
          type="file"
          accept=".xml,.json,.zip"
          className="sr-only"
          tabIndex={-1}
          onChange={({ target }) => {
            take(target.files?.[0])
            target.value = ''
          }}
        />
        <Button kind="primary" icon={<FileUp />} busy={upload.isPending} onClick={() => field.current?.click()}>
          {upload.isPending ? 'Uploading' : 'Choose a file'}
        </Button>
      </div>
      {upload.isError && (
        <div className="mt-3">
          <Notice tone="failed">{sentence(upload.error)}</Notice>
        </div>
      )}
      <dl className="mt-4 grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[auto_1fr]">
        {SOURCES.map(([name, way]) => (
          <div key={name} className="contents">
            <dt className="font-[550]">{name}</dt>
            <dd className="text-quiet">{way}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}

const SOURCES = [
  ['WordPress', 'Tools → Export → All content gives an XML file.'],
  ['Ghost', 'Settings → Import/Export → Export content gives a JSON file.'],
  ['Markdown', 'A zip archive of the folder with your files: Hugo, Jekyll, Astro, Zola, or any with front matter.'],
  ['Postrider', 'An archive from below, of this account or another.'],
] as const
