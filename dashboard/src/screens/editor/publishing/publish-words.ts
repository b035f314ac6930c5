/** What the dialog says it would do. Pure. */
import { counted } from '../../../format.ts'

/** `later`: on a schedule. `published`: it was published before. `updates`: it has changes that sites do not have. */
type Intent = { later: boolean; published: boolean; updates: boolean }

/** The button; `count` is the number of sites. */
export function verbOf({ later, published, updates, count }: Intent & { count: number }): string {
  if (later) return 'Schedule'
  const to = count === 0 ? '' : ` ${updates ? 'at' : 'to'} ${counted(count, 'site')}`
  return `${updates ? 'Update' : published ? 'Send' : 'Publish'}${to}`
}

/** The note below the sites. */
export function hintOf({ later, published, updates }: Intent): string | undefined {
  if (later) return 'It goes to every site that is not paused when its time comes.'
  if (updates) return 'Sites that have the post get the change.'
  return published ? 'Choose the sites to send it to. A site that has it gets it again.' : undefined
}
