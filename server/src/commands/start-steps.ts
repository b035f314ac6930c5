import type { OnStep } from '../platform/db/open.ts'
import type { Steps } from '../platform/steps.ts'

/** Says in sentences what a start does. `isFirst`: whether it has created the tables of the database. */
export function followStart(steps: Steps): { onStep: OnStep; isFirst(): boolean } {
  let creating = ''
  let isFirst = false
  const sentences: Record<string, (fields: Fields) => void> = {
    'db.embedded.creating'({ dir }) {
      creating = ` in ${dir}`
      steps.begin(`Creating the database${creating}`)
    },
    'db.migrating'({ isNew }) {
      isFirst = isNew === true
      // Those of a database that was just made are part of making it.
      if (creating === '') steps.begin(isFirst ? 'Creating the tables' : 'Updating the tables of the database')
    },
    'db.migrated'() {
      if (creating !== '') steps.done(`Created the database${creating}`)
      else steps.done(isFirst ? 'Created the tables' : 'Updated the tables of the database')
    },
  }
  return { onStep: (event, fields) => sentences[event]?.(fields), isFirst: () => isFirst }
}

type Fields = { dir?: string; isNew?: boolean }
