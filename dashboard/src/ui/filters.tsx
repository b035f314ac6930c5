import { clsx } from 'clsx'
import { Search, X } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Select } from './field.tsx'
import { useRested } from './rested.ts'

/** The filters above a list. */
export function Filters({ children }: { children: ReactNode }) {
  return (
    <search className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 sm:px-5">{children}</search>
  )
}

/** A row of links that look like `filterTab`, one of them current. It scrolls sideways if it is too long. */
export function FilterTabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="-mx-1 flex max-w-full min-w-0 gap-0.5 overflow-x-auto px-1 py-1">
      {children}
    </nav>
  )
}

/** The look of a link that filters a list; the current one has `aria-current`. */
export const filterTab =
  'flex h-8 shrink-0 items-center rounded-md px-2.5 font-[550] text-quiet whitespace-nowrap transition-colors duration-100 hover:bg-hover hover:text-ink aria-[current]:bg-hover aria-[current]:text-ink'

/** Fields that filter a list, two in a row on a phone. `end`: at the end of the line if there is room. */
export function FilterFields({ end = false, children }: { end?: boolean; children: ReactNode }) {
  return (
    <div
      className={clsx(
        'flex min-w-0 flex-wrap items-center gap-2 max-sm:w-full max-sm:*:flex-1 max-sm:*:basis-[calc(50%-0.25rem)] sm:*:max-w-52',
        end && 'sm:ml-auto',
      )}
    >
      {children}
    </div>
  )
}

type SiteFilterProps = {
  sites: ReadonlyArray<{ id: string; name: string }>
  value: string | undefined
  onChoose: (site: string | undefined) => void
  /** The name of the chosen site if it is no longer among the sites; without it, that site is not offered. */
  gone?: string
}

/** A choice of one site or any; hidden while there is nothing to choose. */
export function SiteFilter({ sites, value, onChoose, gone }: SiteFilterProps) {
  if (sites.length <= 1 && value === undefined) return null
  const isGone = value !== undefined && sites.every(({ id }) => id !== value)
  return (
    <Select
      aria-label="Site"
      value={value ?? ''}
      onChange={({ target }) => onChoose(target.value === '' ? undefined : target.value)}
    >
      <option value="">Any site</option>
      {sites.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {gone !== undefined && isGone && <option value={value}>{gone}</option>}
    </Select>
  )
}

type SearchInputProps = {
  label: string
  /** The current search. */
  value: string
  /** Called when somebody pauses typing or presses Enter. */
  onChange: (value: string) => void
  /** Called on Enter when the text is already in `value`. */
  onEnter?: () => void
  ref?: RefObject<HTMLInputElement | null>
}

/** A search field. Typed text shows at once, and takes effect when typing pauses. */
export function SearchInput({ label, value, onChange, onEnter, ref }: SearchInputProps) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  const tell = useEffectEvent((next: string) => {
    if (next.trim() === told.current.trim()) return
    told.current = next
    onChange(next)
  })
  const rested = useRested(text)
  useEffect(() => tell(rested), [rested])
  // Follow the address when something other than typing has changed it.
  useEffect(() => {
    if (value.trim() === told.current.trim()) return
    told.current = value
    setText(value)
  }, [value])
  return (
    <span className="relative block min-w-0 flex-1 basis-52">
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-faint" aria-hidden="true" />
      <input
        ref={ref}
        type="search"
        dir="auto"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key, currentTarget, nativeEvent }) => {
          if (key === 'Escape' && text === '') currentTarget.blur()
          if (key !== 'Enter' || nativeEvent.isComposing) return
          if (text.trim() === told.current.trim()) onEnter?.()
          else {
            told.current = text
            onChange(text)
          }
        }}
        className="h-9 w-full rounded-md bg-sheet pr-2 pl-8.5 text-[1rem] ring-1 ring-edge ring-inset focus:ring-2 focus:ring-focus focus:outline-none sm:text-base"
      />
    </span>
  )
}

/** A filter in effect, with a button to remove it. */
export function FilterChip({ name, children, onRemove }: { name: string; children: ReactNode; onRemove: () => void }) {
  return (
    <span className="inline-flex h-8 max-w-full min-w-0 items-center gap-1 rounded-full bg-well pr-1 pl-3 text-sm">
      <span className="text-faint">{name}</span>
      <span dir="auto" className="clip max-w-56 font-[550]">
        {children}
      </span>
      <button
        type="button"
        aria-label={`Remove the filter by ${name.toLowerCase()}`}
        onClick={onRemove}
        className="grid size-6 shrink-0 place-items-center rounded-full hover:bg-hover"
      >
        <X className="size-3.5" aria-hidden="true" />
      </button>
    </span>
  )
}

/**
 * The actions for the chosen rows, floating over the end of the list. It comes before the list in the document, so that Tab
 * need not pass all rows to reach it; `order` puts it where it is seen.
 */
export function ChosenBar({
  count,
  children,
  onClear,
}: {
  count: ReactNode
  children: ReactNode
  onClear: () => void
}) {
  return (
    <section
      aria-label="Selection"
      className="sticky bottom-20 z-20 order-last mx-auto flex max-w-full animate-rise flex-wrap items-center gap-1.5 rounded-lg bg-raised py-1.5 pr-1.5 pl-4 shadow-float max-sm:w-full sm:w-fit lg:bottom-5"
    >
      <p className="figures mr-2 font-[550] max-sm:flex-1" aria-live="polite">
        {count}
      </p>
      <div className="flex gap-1.5 max-sm:order-last max-sm:w-full max-sm:justify-between max-sm:pr-2.5 max-sm:[&_button]:px-1 max-sm:[&_svg]:hidden">
        {children}
      </div>
      <button
        type="button"
        aria-label="Clear the selection"
        onClick={onClear}
        className="grid size-8 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-ink"
      >
        <X className="size-4" aria-hidden="true" />
      </button>
    </section>
  )
}
