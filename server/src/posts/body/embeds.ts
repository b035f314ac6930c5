/** Frames of other sites in a post: which are allowed, and the one address that each is stored with. */

/** A frame's provider and its address there. */
export type Embed = { provider: string; src: string }

/** The providers whose frames a post may show unless the operator says otherwise: host, or host and beginning of the path. */
const providers: Record<string, readonly string[]> = {
  youtube: ['www.youtube.com/embed', 'www.youtube-nocookie.com/embed'],
  vimeo: ['player.vimeo.com/video'],
  'apple-music': ['embed.music.apple.com'],
  'apple-podcasts': ['embed.podcasts.apple.com'],
  bandcamp: ['bandcamp.com/EmbeddedPlayer'],
  codepen: ['codepen.io'],
  codesandbox: ['codesandbox.io/embed', 'codesandbox.io/p'],
  dailymotion: ['www.dailymotion.com/embed', 'geo.dailymotion.com'],
  datawrapper: ['datawrapper.dwcdn.net'],
  figma: ['www.figma.com/embed', 'embed.figma.com'],
  giphy: ['giphy.com/embed'],
  'google-docs': ['docs.google.com'],
  'google-maps': ['www.google.com/maps/embed', 'maps.google.com/maps'],
  jsfiddle: ['jsfiddle.net'],
  loom: ['www.loom.com/embed'],
  openstreetmap: ['www.openstreetmap.org/export'],
  slideshare: ['www.slideshare.net/slideshow'],
  soundcloud: ['w.soundcloud.com/player'],
  spotify: ['open.spotify.com/embed', 'open.spotify.com/embed-podcast'],
  stackblitz: ['stackblitz.com'],
  ted: ['embed.ted.com'],
  tiktok: ['www.tiktok.com/embed', 'www.tiktok.com/player'],
  twitch: ['player.twitch.tv', 'clips.twitch.tv/embed'],
}

/** `host` or `host/path`, as `EMBED_HOSTS` lists them. */
export const defaultEmbedHosts: readonly string[] = Object.values(providers).flat()

/** The canonical https address of a frame of an allowed host, with its provider, or undefined. Knows YouTube's and Vimeo's pages too. */
export function embedOf(value: string, hosts: readonly string[] = defaultEmbedHosts): Embed | undefined {
  const url = URL.parse(value.trim(), 'https://relative.invalid')
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  const host = url.hostname.replace(/^(?:www|m)\./, '')
  const isYoutube = host === 'youtube.com' || host === 'youtube-nocookie.com' || host === 'youtu.be'
  const isVimeo = host === 'vimeo.com' || host === 'player.vimeo.com'
  const src = isYoutube ? youtube(url, host) : isVimeo ? vimeo(url) : plainFrame(url)
  const entry = src === undefined ? undefined : expanded(hosts).find((one) => isBelow(src, one))
  return src === undefined || entry === undefined ? undefined : { provider: providerOf(entry), src }
}

/** `default` in the operator's list stands for the usual providers. */
function expanded(hosts: readonly string[]): readonly string[] {
  return hosts.includes('default') ? [...hosts, ...defaultEmbedHosts] : hosts
}

/** Whether an https address is on a host, or below a path of one. */
function isBelow(src: string, entry: string): boolean {
  const start = `https://${entry}`
  return src.startsWith(start) && /^(?:[/?]|$)/.test(src.slice(start.length))
}

function providerOf(entry: string): string {
  const known = Object.entries(providers).find(([, entries]) => entries.includes(entry))
  return known?.[0] ?? (entry.split('/')[0] || entry)
}

function youtube(url: URL, host: string): string | undefined {
  const path = host === 'youtu.be' ? `/embed${url.pathname}` : url.pathname
  const id = path === '/watch' ? url.searchParams.get('v') : /^\/(?:embed|shorts|live|v)\/([^/]+)\/?$/.exec(path)?.[1]
  if (!/^[\w-]{6,20}$/.test(id ?? '')) return undefined
  const kept = new URLSearchParams()
  const start = /^\d{1,6}(?=s?$)/.exec(url.searchParams.get('start') ?? url.searchParams.get('t') ?? '')?.[0]
  const list = url.searchParams.get('list') ?? ''
  if (start !== undefined) kept.set('start', start)
  if (/^[\w-]{1,64}$/.test(list)) kept.set('list', list)
  const domain = host === 'youtube-nocookie.com' ? host : 'youtube.com'
  return withQuery(`https://www.${domain}/embed/${id}`, kept)
}

function vimeo(url: URL): string | undefined {
  const [, id, pathHash] = /^(?:\/video)?\/(\d{1,20})(?:\/(\w{1,32}))?\/?$/.exec(url.pathname) ?? []
  if (id === undefined) return undefined
  const kept = new URLSearchParams()
  // Unlisted videos need the hash that came with their address.
  const hash = pathHash ?? url.searchParams.get('h') ?? ''
  if (/^\w{1,32}$/.test(hash)) kept.set('h', hash)
  return withQuery(`https://player.vimeo.com/video/${id}`, kept)
}

function plainFrame(url: URL): string | undefined {
  if (url.port !== '' || url.username !== '' || url.password !== '' || url.href.length > 2_000) return undefined
  return `https://${url.host}${url.pathname}${url.search}`
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query}`
}
