/**
 * The actions available now, by keyboard or from the palette. A screen declares its actions while it is shown; the palette and
 * the help list what is declared, so they are never wrong. Single keys do nothing while somebody types; with ⌘ or Ctrl they
 * work everywhere.
 */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/**
 * `does` is a short imperative, `group` a heading. `keys`: `j`, `?`, `mod+k`, `mod+shift+p`; `mod` is ⌘ on a Mac and Ctrl
 * elsewhere. `hidden` actions are for the keyboard only, such as moving between rows. `alsoFoundBy`: other words that people look for.
 */
export type Action = { does: string; group: string; keys?: string; hidden?: boolean; alsoFoundBy?: string }

/** A declared action. */
export type Declared = Action & { run: () => void }

let declared: readonly Declared[] = []
const listeners = new Set<() => void>()

function change(next: readonly Declared[]): void {
  declared = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Declares an action for as long as the component is shown. */
export function useAction({ does, group, keys, hidden = false, alsoFoundBy = '' }: Action, run: () => void): void {
  const latest = useEffectEvent(run)
  useEffect(() => {
    const shortcut = keys === undefined ? {} : { keys }
    const one: Declared = { does, group, hidden, alsoFoundBy, run: () => latest(), ...shortcut }
    change([...declared, one])
    return () => change(declared.filter((other) => other !== one))
  }, [does, group, keys, hidden, alsoFoundBy])
}

/** The actions available now, in the order of declaration. */
export function useActions(): readonly Declared[] {
  return useSyncExternalStore(subscribe, () => declared)
}

/** Listens for the keys of all actions; once in the application. */
export function useActionKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const keys = keysOf(event)
      if (!keys.startsWith('mod+') && isTyping(event.target)) return
      // The action declared last wins: it is nearest to what the person sees.
      const found = declared.findLast((one) => one.keys === keys)
      if (found === undefined || isCovered(event.target) || (keys === 'enter' && takesEnter(event.target))) return
      event.preventDefault()
      found.run()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function keysOf({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): string {
  const name = key.toLowerCase()
  const mod = metaKey || ctrlKey
  // For a single key Shift is part of the character: `?` is not written `shift+?`.
  const shift = shiftKey && (mod || name.length > 1)
  return [mod && 'mod', altKey && 'alt', shift && 'shift', name].filter(Boolean).join('+')
}

/** Whether keys pressed there enter text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
}

/** Whether the focused element itself handles Enter. */
function takesEnter(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary, input') !== null
}

/** Whether a dialog covers the page, or the focus is in a menu, which has its own keys. */
function isCovered(target: EventTarget | null): boolean {
  if (document.querySelector('[data-scrim]') !== null) return true
  return target instanceof Element && target.closest('[role="menu"]') !== null
}
