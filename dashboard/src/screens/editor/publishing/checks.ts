/** What the author should check before a post goes out. Pure. */
import type { ConversionWarning } from '@postrider/sdk'
import { notesIn } from '@postrider/server/generation/notes'
import type { DocNode } from '@postrider/server/posts/body/schema'
import { counted } from '../../../format.ts'
import type { Doc, Draft, Field } from '../draft.ts'

/** A problem. `blocks`: the post cannot go out like this. `field`: where to fix it. */
export type Check = { blocks: boolean; title: string; text: string; field?: Field }

/** The problems of a draft. `doc`: its text, if known as a document; `warnings`: what the service could not keep of it. */
export function checksOf(draft: Draft, doc: Doc | undefined, warnings: readonly ConversionWarning[] = []): Check[] {
  const notes = doc === undefined ? [] : notesIn(doc as DocNode)
  return [
    ...check(draft.title.trim() === '', {
      blocks: true,
      title: 'It has no title',
      text: 'A post needs one to be published.',
      field: 'title',
    }),
    ...check(notes.length > 0, {
      blocks: false,
      title: `${counted(notes.length, 'note')} of the outline ${notes.length === 1 ? 'is' : 'are'} left in the text`,
      text: `Readers would see ${shown(notes)}`,
      field: 'body',
    }),
    ...check(doc !== undefined && isBlank(doc), {
      blocks: false,
      title: 'It has no text',
      text: 'Sites would get the title alone.',
      field: 'body',
    }),
    ...check(warnings.length > 0, {
      blocks: false,
      title: 'Not everything in the text could be kept',
      text: [...new Set(warnings.map(({ message }) => message))].join(' '),
      field: 'body',
    }),
    ...check(draft.metaDescription.trim() === '', {
      blocks: false,
      title: 'It has no description',
      text: 'Search engines and social networks will pick words from the text themselves.',
      field: 'metaDescription',
    }),
  ]
}

function check(applies: boolean, what: Check): Check[] {
  return applies ? [what] : []
}

const MOST_SHOWN = 3

function shown(notes: readonly string[]): string {
  const different = [...new Set(notes)]
  const named = different.slice(0, MOST_SHOWN).map((note) => `“${note}”`)
  return `${named.join(', ')}${different.length > MOST_SHOWN ? ' and more' : ''}.`
}

/** Whether a document has neither words nor pictures. */
function isBlank({ type, text, content = [] }: Doc): boolean {
  if (type === 'text') return String(text).trim() === ''
  if (['image', 'embed', 'horizontalRule'].includes(type)) return false
  return (content as Doc[]).every(isBlank)
}
