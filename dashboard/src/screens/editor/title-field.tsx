import { useEffect, useRef } from 'react'

type TitleFieldProps = { value: string; readOnly: boolean; onChange: (value: string) => void; onEnter: () => void }

/** The title's field, as high as its text; the title itself is one line. */
export function TitleField({ value, readOnly, onChange, onEnter }: TitleFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (field.current?.value === '') field.current.focus({ preventScroll: true })
  }, [])
  return (
    <textarea
      ref={field}
      aria-label="Title"
      dir="auto"
      placeholder="Title"
      rows={1}
      maxLength={300}
      readOnly={readOnly}
      value={value}
      onChange={({ target }) => onChange(target.value.replace(/\s*\n\s*/g, ' '))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onEnter()
      }}
      className="field-sizing-content w-full resize-none supports-[field-sizing:content]:overflow-hidden rounded-sm bg-paper font-serif text-3xl font-[650] tracking-[-0.01em] text-balance focus-visible:outline-none"
    />
  )
}
