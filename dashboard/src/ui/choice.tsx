import { Check } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

type ChoiceProps = Omit<ComponentProps<'input'>, 'type' | 'className'> & { label: ReactNode; hint?: ReactNode }

/** A checkbox. Its label may be more than a word; all of it can be clicked. */
export function Checkbox({ label, hint, ...input }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the tick is one
    <label className="flex items-start gap-2.5 has-disabled:opacity-55">
      <Tick {...input} />
      <span className="grid min-w-0 grid-cols-1 gap-0.5">
        <span>{label}</span>
        {hint !== undefined && <span className="text-sm text-faint">{hint}</span>}
      </span>
    </label>
  )
}

type TickProps = Omit<ComponentProps<'input'>, 'type' | 'className' | 'ref'> & { partly?: boolean }

/** A checkbox without text, for rows of a table; `aria-label` names it. `partly`: only some of its rows are chosen. */
export function Tick({ partly = false, ...input }: TickProps) {
  const showPartly = (box: HTMLInputElement | null) => {
    if (box !== null) box.indeterminate = partly
  }
  return (
    <span className="relative mt-0.5 grid size-4.5 shrink-0 place-items-center">
      <input
        {...input}
        ref={showPartly}
        type="checkbox"
        className="peer absolute inset-0 m-0 cursor-pointer appearance-none rounded-sm bg-sheet ring-1 ring-edge ring-inset checked:bg-ink checked:ring-ink indeterminate:bg-ink indeterminate:ring-ink disabled:cursor-default"
      />
      <Check
        className="pointer-events-none relative hidden size-3.5 text-on-ink peer-checked:block"
        strokeWidth={3}
        aria-hidden="true"
      />
      <span
        className="pointer-events-none relative hidden h-0.5 w-2.5 bg-on-ink peer-indeterminate:block"
        aria-hidden="true"
      />
    </span>
  )
}

/** A switch that takes effect at once. */
export function Switch({ label, hint, ...input }: ChoiceProps) {
  return (
    <label className="flex items-start justify-between gap-4 has-disabled:opacity-55">
      <span className="grid gap-0.5">
        <span className="font-[550]">{label}</span>
        {hint !== undefined && <span className="text-sm text-faint">{hint}</span>}
      </span>
      <span className="relative h-6 w-10 shrink-0">
        <input
          {...input}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked
          role="switch"
          className="peer absolute inset-0 m-0 cursor-pointer appearance-none rounded-full bg-edge transition-colors duration-150 checked:bg-ink disabled:cursor-default"
        />
        <span className="pointer-events-none absolute top-0.5 left-0.5 size-5 rounded-full bg-sheet transition-transform duration-150 peer-checked:translate-x-4" />
      </span>
    </label>
  )
}

/** One of a few options with a line of explanation each. `name` is the group's name in its form. */
export function Radio({ label, hint, ...input }: ChoiceProps) {
  return (
    <label className="flex items-start gap-2.5 rounded-md px-3 py-2.5 ring-1 ring-line ring-inset has-checked:bg-hover has-checked:ring-ink has-disabled:opacity-55 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus">
      <span className="relative mt-0.5 grid size-4.5 shrink-0 place-items-center">
        <input
          {...input}
          type="radio"
          className="peer absolute inset-0 m-0 cursor-pointer appearance-none rounded-full bg-sheet ring-1 ring-edge ring-inset checked:ring-[5px] checked:ring-ink focus-visible:outline-none"
        />
      </span>
      <span className="grid min-w-0 gap-0.5">
        <span className="font-[550]">{label}</span>
        {hint !== undefined && <span className="text-sm text-faint">{hint}</span>}
      </span>
    </label>
  )
}
