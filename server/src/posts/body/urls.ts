const linkSchemes = new Set(['http', 'https', 'mailto', 'tel'])
const imageSchemes = new Set(['http', 'https'])

type Embed = { provider: 'youtube' | 'vimeo'; src: string }

/** The href as it is stored (trimmed, percent-encoded), or undefined if it is empty or its scheme is not allowed. */
export function safeHref(value: string): string | undefined {
  return safeUrl(value, linkSchemes)
}

/** As `safeHref`, for images: http, https and relative only. */
export function safeImageSrc(value: string): string | undefined {
  return safeUrl(value, imageSchemes)
}

function safeUrl(value: string, schemes: ReadonlySet<string>): string | undefined {
  // Browsers drop tabs and line ends anywhere in an address: `java\nscript:` is a scheme to them.
  const url = percentEncode(value.replace(/[\t\n\r]/g, '').trim())
  const scheme = /^[^/?#:]*(?=:)/.exec(url)?.[0]
  if (scheme === undefined) return url === '' ? undefined : url
  const lower = scheme.toLowerCase()
  return schemes.has(lower) ? lower + url.slice(scheme.length) : undefined
}

/**
 * Encodes exactly what the Markdown reader encodes in link destinations, so that an address is the same in all three
 * forms. Encoding an encoded address changes nothing.
 */
function percentEncode(url: string): string {
  return url.replace(/%(?![0-9a-f]{2})|[^%!#$&'()*+,\-./0-9:;=?@a-z_~]/giu, encodeURIComponent)
}

/** The canonical https embed of a YouTube or Vimeo address (watch, short and embed forms), or undefined. */
export function embedOf(value: string): Embed | undefined {
  const url = URL.parse(value.trim(), 'https://relative.invalid')
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const host = url.hostname.replace(/^(?:www|m)\./, '')
  if (host === 'youtube.com' || host === 'youtube-nocookie.com' || host === 'youtu.be') return youtube(url, host)
  if (host === 'vimeo.com' || host === 'player.vimeo.com') return vimeo(url)
  return undefined
}

function youtube(url: URL, host: string): Embed | undefined {
  const path = host === 'youtu.be' ? `/embed${url.pathname}` : url.pathname
  const id = path === '/watch' ? url.searchParams.get('v') : /^\/(?:embed|shorts|live|v)\/([^/]+)\/?$/.exec(path)?.[1]
  if (!/^[\w-]{6,20}$/.test(id ?? '')) return undefined
  const kept = new URLSearchParams()
  const start = /^\d{1,6}(?=s?$)/.exec(url.searchParams.get('start') ?? url.searchParams.get('t') ?? '')?.[0]
  const list = url.searchParams.get('list') ?? ''
  if (start !== undefined) kept.set('start', start)
  if (/^[\w-]{1,64}$/.test(list)) kept.set('list', list)
  const domain = host === 'youtube-nocookie.com' ? host : 'youtube.com'
  return { provider: 'youtube', src: withQuery(`https://www.${domain}/embed/${id}`, kept) }
}

function vimeo(url: URL): Embed | undefined {
  const [, id, pathHash] = /^(?:\/video)?\/(\d{1,20})(?:\/(\w{1,32}))?\/?$/.exec(url.pathname) ?? []
  if (id === undefined) return undefined
  const kept = new URLSearchParams()
  // Unlisted videos need the hash that came with their address.
  const hash = pathHash ?? url.searchParams.get('h') ?? ''
  if (/^\w{1,32}$/.test(hash)) kept.set('h', hash)
  return { provider: 'vimeo', src: withQuery(`https://player.vimeo.com/video/${id}`, kept) }
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query}`
}
