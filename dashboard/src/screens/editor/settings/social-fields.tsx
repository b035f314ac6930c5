import { Sheet } from '../../../ui/page.tsx'
import { AddressField } from './address-field.tsx'
import { type FieldsProps, fieldsOf } from './fields.ts'
import { SocialPreview } from './previews.tsx'

/** How social networks show the post. */
export function SocialFields(props: FieldsProps & { words: string; host: string }) {
  const { view, editable } = props
  const { draft } = view
  const { set, errorOf } = fieldsOf(props)
  return (
    <Sheet title="On social networks">
      <div className="grid grid-cols-1 gap-4">
        <SocialPreview draft={draft} words={props.words} host={props.host} />
        <AddressField
          label="Picture"
          hint="Its address on the web. About 1200 × 630 pixels suits most."
          value={draft.ogImage}
          readOnly={!editable}
          isWrong={errorOf('ogImage') !== undefined}
          onCommit={(ogImage) => set({ ogImage })}
        />
      </div>
    </Sheet>
  )
}
