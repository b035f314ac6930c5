const linkSchemes = new Set(['http', 'https', 'mailto', 'tel'])
const imageSchemes = new Set(['http', 'https'])
const mediaSchemes = new Set(['https'])

/** The href as it is stored (trimmed, percent-encoded), or undefined if it is empty or its scheme is not allowed. */
export function safeHref(value: string): string | undefined {
  return safeUrl(value, linkSchemes)
}

/** As `safeHref`, for images: http, https and relative only. */
export function safeImageSrc(value: string): string | undefined {
  return safeUrl(value, imageSchemes)
}

/** As `safeHref`, for video and audio: https and relative only. */
export function safeMediaSrc(value: string): string | undefined {
  const url = safeUrl(value, mediaSchemes)
  return url?.startsWith('//') ? `https:${url}` : url
}

/** The address if it is a web address of another host (with its scheme, or `//host`), as it is stored in a link. */
export function webAddress(value: string): string | undefined {
  const url = safeUrl(value, imageSchemes)
  if (url === undefined || !/^(?:https?:)?\/\/[^/]/.test(url)) return undefined
  return url.startsWith('//') ? `https:${url}` : url
}

/** What a browser would do with an address that is refused, in a few characters: `javascript:`. Empty for an empty address. */
export function schemeOf(value: string): string {
  return /^[^/?#:]{0,20}:?/.exec(value.replace(/[\p{Cc}\s]/gu, ''))?.[0] ?? ''
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

/** What a link's `rel` says to search engines, in a fixed order; the rest of it is up to the page. */
export function relTokens(rel: string): string {
  const given = rel.toLowerCase().split(/\s+/)
  return ['nofollow', 'sponsored', 'ugc'].filter((token) => given.includes(token)).join(' ')
}
