/** Notes above the text about what a post cannot keep of it. */
import type { ConversionWarning } from '@postrider/sdk'
import { counted } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'

/** What the service said of the text when it stored it. */
export function Warnings({ warnings }: { warnings: readonly ConversionWarning[] }) {
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

/** The words of typed HTML that the service drops; `back` shows the HTML again. */
export function Lost({ words, back }: { words: readonly string[]; back: (() => void) | undefined }) {
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
