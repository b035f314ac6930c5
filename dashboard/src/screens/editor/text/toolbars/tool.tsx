import { clsx } from 'clsx'
import { Toolbar } from 'radix-ui'
import type { ReactNode } from 'react'
import { keysOf } from '../../../../ui/keys.tsx'
import { Tooltip } from '../../../../ui/tooltip.tsx'

/** `keys`: what does the same in the text, as in `Keys`. */
type ToolProps = { label: string; icon: ReactNode; keys?: string; pressed?: boolean; act: () => void }

/** A button of a toolbar. */
export function Tool({ label, icon, keys, pressed, act }: ToolProps) {
  const name = keys === undefined ? label : `${label} (${keysOf(keys).join(' ')})`
  return (
    <Tooltip text={name}>
      <Toolbar.Button
        aria-label={label}
        aria-pressed={pressed}
        onClick={act}
        className={clsx(
          'grid size-8 place-items-center rounded-md [&_svg]:size-4',
          pressed === true ? 'bg-ink text-on-ink' : 'text-quiet hover:bg-hover hover:text-ink',
        )}
      >
        {icon}
      </Toolbar.Button>
    </Tooltip>
  )
}

/** A line between groups of buttons. */
export function Line() {
  return <Toolbar.Separator className="mx-0.5 my-1.5 w-px bg-line" />
}
