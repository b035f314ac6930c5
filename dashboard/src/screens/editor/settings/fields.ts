/** What the three groups of fields have in common. */
import type { Draft, Field } from '../draft.ts'
import type { View } from '../saving/edit-state.ts'
import type { OpenPost } from '../saving/open-post.ts'

/** What a group of fields gets. */
export type FieldsProps = { openPost: OpenPost; view: View; editable: boolean }

/** The functions of a group's fields: one changes the draft, one tells what is wrong with a field. */
export function fieldsOf({ openPost, view: { problem } }: FieldsProps) {
  return {
    set: (part: Partial<Draft>) => openPost.change(part),
    errorOf: (field: Field) => (problem?.field === field ? problem.text : undefined),
  }
}
