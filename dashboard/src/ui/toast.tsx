import { clsx } from 'clsx'
import { CircleCheck, OctagonAlert, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'

/** A message that something was done or failed, without its own place on the page. */
export type ToastMessage = {
  text: string
  tone?: 'arrived' | 'failed'
  /** One action, such as undo. */
  action?: { label: string; act: () => void }
}

type Shown = ToastMessage & { id: number }

let shown: readonly Shown[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows a message; the last three stay on the screen. */
export function toast(message: ToastMessage): void {
  count += 1
  change([...shown, { ...message, id: count }].slice(-3))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The place of messages, once in the application. They stay while the pointer is on them, and F8 moves the focus to them. */
export function Toasts() {
  const messages = useSyncExternalStore(subscribe, () => shown)
  return (
    <Radix.Provider duration={6_000} swipeDirection="right">
      {messages.map(({ id, text, tone = 'arrived', action }) => {
        const Icon = tone === 'failed' ? OctagonAlert : CircleCheck
        return (
          <Radix.Root
            key={id}
            onOpenChange={(open) => open || change(shown.filter((one) => one.id !== id))}
            type={tone === 'failed' ? 'foreground' : 'background'}
            className="flex animate-rise items-start gap-2.5 rounded-lg bg-raised py-2 pr-2 pl-3 shadow-float"
          >
            <Icon
              className={clsx('mt-1.5 size-4 shrink-0', tone === 'failed' ? 'text-failed' : 'text-arrived')}
              aria-hidden="true"
            />
            <Radix.Description className="min-w-0 flex-1 py-1">{text}</Radix.Description>
            {action !== undefined && (
              <Radix.Action asChild altText={action.label}>
                <Button size="sm" onClick={action.act}>
                  {action.label}
                </Button>
              </Radix.Action>
            )}
            <Radix.Close asChild>
              <IconButton label="Dismiss" size="sm" icon={<X />} />
            </Radix.Close>
          </Radix.Root>
        )
      })}
      <Radix.Viewport className="fixed right-0 bottom-16 z-50 grid w-full max-w-104 gap-2 p-4 outline-none empty:hidden lg:bottom-0" />
    </Radix.Provider>
  )
}
