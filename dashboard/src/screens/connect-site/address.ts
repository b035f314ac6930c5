import type { Site } from '@postrider/sdk'

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** What was typed as an address, without a slash at its end; undefined when it is none. */
export function addressOf(typed: string): string | undefined {
  const text = typed.trim()
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text)
    ? ''
    : LOCAL.test(text.split(/[:/]/, 1)[0] ?? '')
      ? 'http://'
      : 'https://'
  const url = URL.parse(scheme + text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return undefined
  if (!url.hostname.includes('.') && !LOCAL.test(url.hostname)) return undefined
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** A name to begin with. */
export function nameFrom(address: string): string {
  return new URL(address).hostname.replace(/^www\./, '')
}

/** Where a site's webhooks go. Sites in public are called by https only. */
export function webhookAddress(address: string, path: string): string {
  const url = new URL(address)
  if (!LOCAL.test(url.hostname)) url.protocol = 'https:'
  return url.origin + url.pathname.replace(/\/+$/, '') + path
}

type Addresses = Pick<Site, 'url' | 'webhook_url'>

/** The site that receives at this webhook address already, or else one that readers know by the same address. */
export function siteAt<Known extends Addresses>(sites: readonly Known[], { url, webhook_url }: Addresses) {
  return (
    sites.find((site) => isSameAddress(site.webhook_url, webhook_url)) ??
    sites.find((site) => isSameAddress(site.url, url))
  )
}

/** Whether two addresses lead to one place: by http or https, with a slash at the end or without. */
export function isSameAddress(a: string, b: string): boolean {
  const place = (address: string) => {
    const url = URL.parse(address.trim())
    return url && url.host + url.pathname.replace(/\/+$/, '') + url.search
  }
  return place(a) !== null && place(a) === place(b)
}
