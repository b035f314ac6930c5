import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'
import { Spinner } from './spinner.tsx'
import { Tooltip } from './tooltip.tsx'

/** How prominent a button is: one `primary` per view, `danger` only for what cannot be undone. */
type Kind = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'sm' | 'md'
type Look = { kind?: Kind | undefined; size?: Size | undefined }

const KINDS: Record<Kind, string> = {
  primary: 'bg-ink text-on-ink hover:bg-press',
  secondary: 'bg-sheet text-ink ring-1 ring-inset ring-line hover:bg-hover hover:ring-edge',
  quiet: 'text-quiet hover:bg-hover hover:text-ink',
  danger: 'bg-failed text-on-ink hover:opacity-90',
}

const SIZES: Record<Size, string> = {
  sm: 'h-8 gap-1.5 px-2.5 text-sm',
  md: 'h-9 gap-2 px-3.5 text-base',
}

/** The look of a button, for links that look like one. */
export function buttonLook({ kind = 'secondary', size = 'md' }: Look = {}): string {
  return clsx(
    'inline-flex shrink-0 items-center justify-center rounded-md font-[550] whitespace-nowrap select-none',
    'transition-[background-color,box-shadow,opacity] duration-100 aria-disabled:opacity-55 disabled:opacity-55',
    '[&_svg]:size-4 [&_svg]:shrink-0',
    KINDS[kind],
    SIZES[size],
  )
}

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & Look & { icon?: ReactNode; busy?: boolean | undefined }

/** A button. While `busy` it keeps its place, its width and the focus, and ignores clicks. */
export function Button({ kind, size, icon, busy = false, children, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={buttonLook({ kind, size })}
      aria-disabled={busy || rest['aria-disabled']}
      aria-busy={busy}
      onClick={(event) => {
        if (busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
}

const ICON_SIZES = { xs: 'size-6', sm: 'size-8', md: 'size-9' }

type IconButtonProps = Omit<ComponentProps<'button'>, 'className' | 'children' | 'aria-label'> & {
  label: string
  icon: ReactNode
  kind?: 'quiet' | 'secondary'
  size?: Size | 'xs'
}

/** A button with only an icon; a tooltip shows its name on hover and focus. */
export function IconButton({ label, icon, kind = 'quiet', size = 'md', type = 'button', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        className={clsx(
          'inline-flex shrink-0 items-center justify-center rounded-md transition-colors duration-100 disabled:opacity-55 [&_svg]:size-4',
          KINDS[kind],
          ICON_SIZES[size],
        )}
      >
        {icon}
      </button>
    </Tooltip>
  )
}
