import { Download } from 'lucide-react'
import { useState } from 'react'
import { buttonLook } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/choice.tsx'
import { Sheet } from '../../ui/page.tsx'

const FORMATS = [
  { format: 'markdown', name: 'Markdown', says: 'A file with front matter per post, for any site generator.' },
  { format: 'ghost', name: 'Ghost', says: 'One file that Ghost imports.' },
  { format: 'json', name: 'Everything', says: 'Complete. Imported here, it makes the same posts again.' },
] as const

/** Links to archives of all posts. */
export function Export() {
  const [hasPictures, setHasPictures] = useState(false)
  return (
    <Sheet title="Export all posts" aside="A zip archive, drafts included">
      <ul className="grid gap-3">
        {FORMATS.map(({ format, name, says }) => (
          <li key={format} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <div className="min-w-0 flex-1 basis-48">
              <p className="font-[550]">{name}</p>
              <p className="text-sm text-quiet">{says}</p>
            </div>
            <a
              href={`/api/export?format=${format}${hasPictures ? '&media=true' : ''}`}
              download
              className={buttonLook({ size: 'sm' })}
            >
              <Download aria-hidden="true" />
              Download<span className="sr-only"> {name}</span>
            </a>
          </li>
        ))}
      </ul>
      <div className="mt-4">
        <Checkbox
          label="With the pictures of your library that posts show"
          checked={hasPictures}
          onChange={({ target }) => setHasPictures(target.checked)}
        />
      </div>
    </Sheet>
  )
}
