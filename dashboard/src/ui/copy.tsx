import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { toast } from './toast.tsx'

function useCopied(text: string): [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text) // without https there is no clipboard
      setCopied(true)
    } catch {
      toast({ tone: 'failed', text: 'The browser did not allow copying. Select the text and copy it by hand.' })
    }
  }
  return [copied, () => void copy()]
}

type CopyButtonProps = { text: string; what: string; words?: boolean; onIntent?: (() => void) | undefined }

/** Copies a text. `what` completes "Copy …"; `onIntent` is called just before somebody copies, so that the text can be renewed. */
export function CopyButton({ text, what, words = false, onIntent }: CopyButtonProps) {
  const [copied, copy] = useCopied(text)
  const icon = copied ? <Check /> : <Copy />
  if (!words) return <IconButton label={copied ? 'Copied' : `Copy ${what}`} size="sm" icon={icon} onClick={copy} />
  return (
    <Button size="sm" icon={icon} onClick={copy} onPointerEnter={onIntent} onFocus={onIntent}>
      {copied ? 'Copied' : `Copy ${what}`}
    </Button>
  )
}

type CodeProps = {
  /** The name of the text. */
  label: string
  text: string
  /** Shown instead of `text`, such as with secrets hidden; `text` is copied. */
  instead?: string
}

/** Code to be read and copied. It scrolls sideways and can be reached by keyboard for that. */
export function Code({ label, text, instead = text }: CodeProps) {
  return (
    <figure className="overflow-clip rounded-md bg-well ring-1 ring-line">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-0.5 pr-0.5 pl-3">
        <span className="min-w-0 py-1 font-mono text-sm wrap-anywhere text-faint">{label}</span>
        <CopyButton text={text} what="the code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section tabIndex={0} aria-label={label} className="max-h-112 overflow-auto p-3 font-mono text-sm">
        <pre>
          <code>{instead}</code>
        </pre>
      </section>
    </figure>
  )
}
