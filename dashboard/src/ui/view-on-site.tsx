import { ExternalLink } from 'lucide-react'
import { buttonLook } from './button.tsx'

/** The way to a post's page on a site. */
export function ViewOnSite({ url, site, size = 'sm' }: { url: string; site: string; size?: 'sm' | 'md' }) {
  return (
    <a href={url} target="_blank" rel="noreferrer" className={buttonLook({ size, kind: 'quiet' })}>
      <ExternalLink aria-hidden="true" />
      View on site
      <span className="sr-only"> {site} (opens in a new window)</span>
    </a>
  )
}
