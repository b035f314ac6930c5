/** A key or several, as this machine's keyboard names them: `mod+k` is ⌘K or Ctrl K. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5" aria-hidden="true">
      {keysOf(keys).map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm bg-well px-1 font-sans text-xs text-faint ring-1 ring-line"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}

const MAC = /Mac|iPhone|iPad/.test(navigator.platform)
const NAMES: Record<string, string> = MAC
  ? { mod: '⌘', alt: '⌥', shift: '⇧', enter: '↩', esc: 'Esc' }
  : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', enter: 'Enter', esc: 'Esc' }

/** The keys of a shortcut by the names on this machine's keyboard. */
export function keysOf(keys: string): string[] {
  return keys.split('+').map((key) => NAMES[key] ?? key.toUpperCase())
}
