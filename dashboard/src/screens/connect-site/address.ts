import type { Site } from '@postrider/sdk'

const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The typed address, without a slash at its end; undefined when it is not an address. */
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

/** A suggested name; empty for a site on this machine. */
export function nameFrom(address: string): string {
  const { hostname } = new URL(address)
  return LOCAL.test(hostname) ? '' : hostname.replace(/^www\./, '')
}

/** The webhook address of a site. Public sites are called by https only. */
export function webhookAddress(address: string, path: string): string {
  const url = new URL(address)
  if (!LOCAL.test(url.hostname)) url.protocol = 'https:'
  return url.origin + url.pathname.replace(/\/+$/, '') + path
}

type Addresses = Pick<Site, 'url' | 'webhook_url'>

/** The site that already receives at this webhook address, or else one with the same address. */
export function siteAt<Known extends Addresses>(sites: readonly Known[], { url, webhook_url }: Addresses) {
  return (
    sites.find((site) => isSameAddress(site.webhook_url, webhook_url)) ??
    sites.find((site) => isSameAddress(site.url, url))
  )
}

/** Whether two addresses are the same, ignoring http or https and a slash at the end. */
export function isSameAddress(a: string, b: string): boolean {
  const place = (address: string) => {
    const url = URL.parse(address.trim())
    return url && url.host + url.pathname.replace(/\/+$/, '') + url.search
  }
  return place(a) !== null && place(a) === place(b)
}
