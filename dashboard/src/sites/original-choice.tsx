import type { Site } from '@postrider/sdk'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/choice.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Audience } from './audience.ts'
import { proposedOriginal } from './original.ts'

type OriginalChoiceProps = {
  sites: readonly Site[]
  /** The sites that the post is for. */
  audience: Audience
  /** The address that the author has given, which comes first. */
  authored?: string
  /** The site that new posts have their original on; null: none. */
  usual: string | null
  value: string | null
  onChange: (siteId: string | null) => void
  /** Whether new posts are to have theirs there too, and what is called when that changes; absent where it is not asked. */
  remember?: [boolean, (remembers: boolean) => void]
  /** For posts in the plural: what is said if none is chosen. */
  title?: string
}

/** Which site has the original of a post. Nothing is shown for a post that only one site gets. */
export function OriginalChoice(props: OriginalChoiceProps) {
  const { sites, audience, authored = '', usual, value, onChange, remember, title = 'It has no original' } = props
  const having = sites.filter(({ id }) => audience === null || audience.includes(id))
  if (having.length < 2 && value === null) return null
  const chosen = sites.find(({ id }) => id === value)
  const proposed = proposedOriginal(having, usual)
  const isAuthored = authored.trim() !== ''
  return (
    <div className="grid grid-cols-1 gap-2">
      <Field label="Original" hint={hintFor(chosen, isAuthored)} error={problemOf(chosen, having, isAuthored)}>
        <Select value={value ?? ''} onChange={({ target }) => onChange(target.value === '' ? null : target.value)}>
          <option value="">None</option>
          {sites
            .filter((site) => having.includes(site) || site === chosen)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </Select>
      </Field>
      {value === null && !isAuthored && proposed !== undefined && (
        <Notice tone="trying" title={title}>
          <p>
            {having.length} sites get the same text, and search engines choose by themselves which of them to show. Name
            one; the others point to it.
          </p>
          <p className="mt-2">
            <Button size="sm" onClick={() => onChange(proposed.id)}>
              Make {proposed.name} the original
            </Button>
          </p>
        </Notice>
      )}
      {chosen !== undefined && value !== usual && remember !== undefined && (
        <Checkbox
          label="Also for new posts"
          checked={remember[0]}
          onChange={({ target }) => remember[1](target.checked)}
        />
      )}
    </div>
  )
}

function hintFor(chosen: Site | undefined, isAuthored: boolean): string | undefined {
  if (isAuthored) return 'The post has an original address of its own, under “In search results”. Its sites name that.'
  if (chosen === undefined) return undefined
  return chosen.post_url === null
    ? `The other sites point to it once ${chosen.name} has said where it shows the post.`
    : 'The other sites tell search engines that the text is from there.'
}

function problemOf(chosen: Site | undefined, having: readonly Site[], isAuthored: boolean): string | undefined {
  if (chosen === undefined || having.includes(chosen) || isAuthored) return undefined
  return `${chosen.name} does not get this post, so the others cannot point to it.`
}
