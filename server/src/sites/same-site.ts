/** Whether two addresses belong to one site: the same host and port, with or without `www.`, by http or https. */
export function isSameSite(one: URL, other: URL): boolean {
  return withoutWww(one.host) === withoutWww(other.host)
}

/** The target of a redirect within the site; undefined when it leaves the site, goes from https to http or cannot be parsed. */
export function redirectWithinSite(from: URL, location: string | undefined): URL | undefined {
  const to = location === undefined ? null : URL.parse(location, from)
  if (to === null || !isSameSite(from, to)) return undefined
  if (to.protocol !== 'https:' && to.protocol !== from.protocol) return undefined
  return to
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '')
}
