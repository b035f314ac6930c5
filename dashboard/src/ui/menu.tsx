import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'

type MenuProps = { trigger: ReactNode; children: ReactNode; align?: 'start' | 'end'; side?: 'top' | 'bottom' }

/** A menu behind a button. It is not modal: the page can be scrolled, and the content security policy needs no exception. */
export function Menu({ trigger, children, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-appear overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM =
  'flex min-h-8 w-full cursor-default items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left outline-none select-none data-highlighted:bg-hover data-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint'

type MenuItemProps = Omit<ComponentProps<typeof Radix.Item>, 'className'> & { icon?: ReactNode; danger?: boolean }

/** One action. With `asChild`, its child is a link. */
export function MenuItem({ icon, danger = false, children, asChild, ...rest }: MenuItemProps) {
  const look = clsx(ITEM, danger && 'text-failed [&_svg]:text-failed')
  if (asChild === true) {
    return (
      <Radix.Item {...rest} asChild className={look}>
        {children}
      </Radix.Item>
    )
  }
  return (
    <Radix.Item {...rest} className={look}>
      {icon}
      {children}
    </Radix.Item>
  )
}

type MenuChoiceProps = { value: string; onValueChange: (value: string) => void; label: string; children: ReactNode }

/** A choice of one of several `MenuOption`s. */
export function MenuChoice({ value, onValueChange, label, children }: MenuChoiceProps) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onValueChange} aria-label={label}>
      <Radix.Label className="px-2.5 pt-1.5 pb-1 text-sm text-faint">{label}</Radix.Label>
      {children}
    </Radix.RadioGroup>
  )
}

/** One of a `MenuChoice`. */
export function MenuOption({ value, icon, children }: { value: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <Radix.RadioItem value={value} className={ITEM}>
      {icon}
      <span className="flex-1">{children}</span>
      <Radix.ItemIndicator>
        <Check aria-hidden="true" />
      </Radix.ItemIndicator>
    </Radix.RadioItem>
  )
}

/** A line between groups. */
export function MenuLine() {
  return <Radix.Separator className="mx-1 my-1 h-px bg-line" />
}
