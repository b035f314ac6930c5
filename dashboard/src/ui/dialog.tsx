import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { rememberFocus } from './focus.ts'

type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: ReactNode
  description?: ReactNode
  /** The buttons, the confirming one last. */
  actions?: ReactNode
  wide?: boolean
  /** Neither Escape nor a click outside closes it: something must be answered or is in progress. */
  firm?: boolean
  /** The dialog itself gets the focus first, because its fields are read more often than changed. */
  quiet?: boolean
  children?: ReactNode
}

/**
 * A dialog: it traps the focus, and restores it when it closes; on a phone it comes from below. The scrim is ours, because the
 * library's stops the page from scrolling with a style sheet that the content security policy forbids.
 */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  actions,
  wide,
  firm = false,
  quiet = false,
  children,
}: DialogProps) {
  // Remember the focus before anything inside takes it: now, or when the dialog opens.
  const before = useRef(open ? rememberFocus() : undefined)
  const stay = (event: Event) => {
    if (firm) event.preventDefault()
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div data-scrim className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-40 flex items-end justify-center sm:items-center sm:p-4">
          <Radix.Content
            onEscapeKeyDown={stay}
            onInteractOutside={stay}
            onOpenAutoFocus={(event) => {
              before.current = rememberFocus()
              if (!quiet) return
              event.preventDefault()
              if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
            }}
            onCloseAutoFocus={(event) => {
              // The library restores the focus only to its own triggers.
              event.preventDefault()
              before.current?.()
            }}
            {...(description === undefined ? { 'aria-describedby': undefined } : {})}
            className={clsx(
              'pointer-events-auto relative flex max-h-[92dvh] w-full animate-rise flex-col overflow-clip rounded-t-lg bg-raised shadow-float focus:outline-none sm:rounded-lg',
              wide ? 'max-w-[52rem]' : 'max-w-dialog',
            )}
          >
            <header className="px-5 pt-5 pr-14">
              <Radix.Title className="text-lg font-[620]">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description dir="auto" className="mt-1 text-quiet">
                  {description}
                </Radix.Description>
              )}
            </header>
            {children !== undefined && (
              <div className="min-h-0 overflow-y-auto">
                {/* Padding on the scrolling element would lie below what sticks to its end. */}
                <div className="px-5 py-4">{children}</div>
              </div>
            )}
            {actions !== undefined && (
              <footer className="flex flex-wrap justify-end gap-2 px-5 pt-2 pb-4">{actions}</footer>
            )}
            {!firm && (
              // Last in the order, so that the dialog's content gets the focus first.
              <Radix.Close
                aria-label="Close"
                className="absolute top-4 right-4 grid size-8 place-items-center rounded-md text-quiet hover:bg-hover hover:text-ink"
              >
                <X className="size-4" aria-hidden="true" />
              </Radix.Close>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}
