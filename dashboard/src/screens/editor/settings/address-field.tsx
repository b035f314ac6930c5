import { Field } from '../../../ui/field.tsx'
import { Buffered } from './buffered.tsx'

type AddressFieldProps = {
  label: string
  hint: string
  value: string
  readOnly: boolean
  isWrong: boolean
  onCommit: (value: string) => void
}

/** A field for an address on the web. */
export function AddressField({ label, hint, value, readOnly, isWrong, onCommit }: AddressFieldProps) {
  return (
    <Field
      label={label}
      error={isWrong ? 'Enter the full address, starting with https:// or http://.' : undefined}
      hint={hint}
    >
      <Buffered
        type="url"
        inputMode="url"
        placeholder="https://"
        value={value}
        readOnly={readOnly}
        spellCheck={false}
        autoComplete="off"
        onCommit={onCommit}
      />
    </Field>
  )
}
