import { Field, Input, Textarea } from '../../../ui/field.tsx'
import { Sheet } from '../../../ui/page.tsx'
import { AddressField } from './address-field.tsx'
import { Count } from './count.tsx'
import { type FieldsProps, fieldsOf } from './fields.ts'
import { SearchPreview } from './previews.tsx'

/** The API's limits, and the lengths at which search engines cut off. */
const MOST = { metaTitle: 200, metaDescription: 500 }
const SHOWN = { metaTitle: 60, metaDescription: 160 }

/** How search engines show the post. */
export function SearchFields(props: FieldsProps & { words: string; host: string }) {
  const { view, editable } = props
  const { draft } = view
  const { set, errorOf } = fieldsOf(props)
  return (
    <Sheet title="In search results">
      <div className="grid grid-cols-1 gap-4">
        <SearchPreview draft={draft} words={props.words} host={props.host} />
        <Field
          label="Search title"
          aside={<Count text={draft.metaTitle} most={SHOWN.metaTitle} soft />}
          error={errorOf('metaTitle')}
          hint="If it is empty, the title of the post is used."
        >
          <Input
            value={draft.metaTitle}
            readOnly={!editable}
            maxLength={MOST.metaTitle}
            onChange={({ target }) => set({ metaTitle: target.value })}
          />
        </Field>
        <Field
          label="Description"
          aside={<Count text={draft.metaDescription} most={SHOWN.metaDescription} soft />}
          error={errorOf('metaDescription')}
          hint="What the post offers its readers, in a sentence or two."
        >
          <Textarea
            value={draft.metaDescription}
            readOnly={!editable}
            maxLength={MOST.metaDescription}
            onChange={({ target }) => set({ metaDescription: target.value })}
          />
        </Field>
        <AddressField
          label="Original address"
          hint="If the text was first published elsewhere: search engines are pointed there."
          value={draft.canonicalUrl}
          readOnly={!editable}
          isWrong={errorOf('canonicalUrl') !== undefined}
          onCommit={(canonicalUrl) => set({ canonicalUrl })}
        />
      </div>
    </Sheet>
  )
}
