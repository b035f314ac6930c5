/** The fields of a post other than its title and text, saved in the same way. */
import { useQuery } from '@tanstack/react-query'
import { sitesQuery } from '../../../queries.ts'
import { type Draft, documentOf } from '../draft.ts'
import { AboutFields } from './about-fields.tsx'
import type { FieldsProps } from './fields.ts'
import { useFirstWords } from './previews.tsx'
import { SearchFields } from './search-fields.tsx'
import { SocialFields } from './social-fields.tsx'

/** All groups of fields. */
export function Settings(props: FieldsProps) {
  const { draft, post } = props.view
  const shown = { host: useHost(draft), words: useFirstWords(documentOf(draft, post)) }
  return (
    <>
      <AboutFields {...props} />
      <SearchFields {...props} {...shown} />
      <SocialFields {...props} {...shown} />
    </>
  )
}

/** The host where readers may find the post: that of its canonical address, else of the first site. */
function useHost({ canonicalUrl }: Draft): string {
  const { data } = useQuery(sitesQuery)
  const address = URL.parse(canonicalUrl.trim()) ?? URL.parse(data?.sites[0]?.url ?? '')
  return address?.host ?? 'your-site.example'
}
