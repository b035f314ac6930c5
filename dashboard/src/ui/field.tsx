import { clsx } from 'clsx'
import { AlertCircle, ChevronDown } from 'lucide-react'
import { type ComponentProps, createContext, type ReactNode, use, useId } from 'react'

type FieldContext = { id: string; describedBy: string | undefined; invalid: boolean; required: boolean }

const Context = createContext<FieldContext | undefined>(undefined)

type FieldProps = {
  label: ReactNode
  /** Shown beside the label, such as a counter. */
  aside?: ReactNode
  hint?: ReactNode
  error?: string | undefined
  required?: boolean
  children: ReactNode
}

/** A label, one control, and its hint or error. The control inside gets its id and description automatically. */
export function Field({ label, aside, hint, error, required = false, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = clsx(hint !== undefined && hintId, error !== undefined && errorId) || undefined
  return (
    <Context value={{ id, describedBy, invalid: error !== undefined, required }}>
      <div className="grid grid-cols-1 gap-1.5">
        <div className="flex items-baseline justify-between gap-3">
          <label htmlFor={id} className="font-[550]">
            {label}
          </label>
          {aside !== undefined && <span className="figures text-sm text-faint">{aside}</span>}
        </div>
        {children}
        {error !== undefined && (
          <p id={errorId} className="flex items-start gap-1.5 text-sm text-failed">
            <AlertCircle className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
            {error}
          </p>
        )}
        {hint !== undefined && (
          <p id={hintId} className="text-sm text-faint">
            {hint}
          </p>
        )}
      </div>
    </Context>
  )
}

const CONTROL =
  'w-full rounded-md bg-sheet px-3 text-[1rem] text-ink ring-1 ring-edge ring-inset transition-shadow duration-100 sm:text-base ' +
  'disabled:opacity-55 aria-invalid:ring-2 aria-invalid:ring-failed focus:ring-2 focus:ring-focus focus:outline-none'

function useControl() {
  const field = use(Context)
  return field === undefined
    ? {}
    : {
        id: field.id,
        'aria-describedby': field.describedBy,
        'aria-invalid': field.invalid || undefined,
        required: field.required,
      }
}

/** One line of text, in the direction of its words. */
export function Input({ mono = false, ...props }: Omit<ComponentProps<'input'>, 'className'> & { mono?: boolean }) {
  return <input dir="auto" {...useControl()} {...props} className={clsx(CONTROL, 'h-9', mono && 'font-mono')} />
}

/** Several lines of text; grows with its content where browsers support that. */
export function Textarea(props: Omit<ComponentProps<'textarea'>, 'className'>) {
  return (
    <textarea
      dir="auto"
      rows={3}
      {...useControl()}
      {...props}
      className={clsx(CONTROL, 'field-sizing-content max-h-80 py-2')}
    />
  )
}

/** A choice from a list. It is the system's own, which people know on every device. */
export function Select({ children, ...props }: Omit<ComponentProps<'select'>, 'className'>) {
  return (
    <span className="relative block">
      <select {...useControl()} {...props} className={clsx(CONTROL, 'h-9 appearance-none pr-9')}>
        {children}
      </select>
      <ChevronDown className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-faint" aria-hidden="true" />
    </span>
  )
}
