import { X } from 'lucide-react'
import { useEffectEvent, useLayoutEffect, useState } from 'react'
import { Input } from './field.tsx'

type TagsInputProps = {
  value: readonly string[]
  onChange: (value: string[]) => void
  /** The most tags, and the most characters of each. */
  most: number
  maxLength: number
  readOnly?: boolean
  placeholder?: string
}

/** The tags in a text with commas, each cut to so many characters, as the service counts them. */
export function tagsIn(text: string, maxLength: number): string[] {
  const words = text.split(',').map((word) => [...word.trim()].slice(0, maxLength).join(''))
  return words.filter((word) => word !== '')
}

/**
 * A few short tags: Enter or a comma ends one, Backspace in an empty field removes the last. Text left in the field counts too.
 * It joins the others only once the pointer is released, so that what somebody is clicking on does not move.
 */
export function TagsInput({ value, onChange, most, maxLength, readOnly = false, placeholder }: TagsInputProps) {
  const [typed, setTyped] = useState('')
  const [leaving, setLeaving] = useState<string>()
  const add = (text: string) => {
    const next = [...new Set([...value, ...tagsIn(text, maxLength)])].slice(0, most)
    if (next.length > value.length) onChange(next)
  }
  const type = (text: string) => {
    const end = text.lastIndexOf(',')
    if (end > 0) add(text.slice(0, end))
    setTyped(text.slice(end + 1))
  }
  const leave = () => {
    if (typed.trim() === '') return
    add(typed)
    const clear = () => {
      setTyped('')
      setLeaving(undefined)
    }
    if (document.querySelector(':active') === null) return clear()
    setLeaving(typed.trim())
    addEventListener('pointerup', () => setTimeout(clear), { once: true })
  }
  // React tells of no lost focus when the field goes away with it, as by Escape in a dialog.
  const goAway = useEffectEvent(() => add(typed))
  useLayoutEffect(() => () => goAway(), [])
  const shown = value.filter((word) => word !== leaving)
  const press = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && typed.trim() !== '') {
      event.preventDefault()
      add(typed)
      setTyped('')
    } else if (event.key === 'Backspace' && typed === '' && value.length > 0 && !readOnly) onChange(value.slice(0, -1))
  }
  return (
    <div className="grid grid-cols-1 gap-2">
      {shown.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {shown.map((word) => (
            <li
              key={word}
              className="inline-flex h-6.5 max-w-full items-center gap-0.5 rounded-full bg-well pr-1 pl-2.5 text-sm ring-1 ring-line ring-inset"
            >
              <span dir="auto" className="clip" title={word}>
                {word}
              </span>
              {!readOnly && (
                <button
                  type="button"
                  aria-label={`Remove ${word}`}
                  onClick={() => onChange(value.filter((other) => other !== word))}
                  className="grid size-6 shrink-0 place-items-center rounded-full text-faint hover:text-ink"
                >
                  <X className="size-3.5" aria-hidden="true" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Input
        value={typed}
        readOnly={readOnly}
        placeholder={placeholder}
        autoComplete="off"
        enterKeyHint="enter"
        onChange={({ target }) => type(target.value)}
        onBlur={leave}
        onKeyDown={press}
      />
    </div>
  )
}
