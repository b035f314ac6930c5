/**
 * What a page suggests about the platform behind it, and which address could confirm that. Only evidence from the site itself
 * counts: its headers, its own tags, and files that it loads from itself. A word in the text, an escaped example or a link
 * to another site does not count. A clue alone never decides; see `confirms`.
 *
 * A page may be made to be slow to match, so no pattern here has two unlimited repetitions that match the same characters: the
 * second would be tried again for each length of the first.
 */

import type { Markup, Tag } from '../markup.ts'
import { isSameSite } from '../same-site.ts'
import type { Platform } from '../tables.ts'

/** A platform that can be recognised. */
export type KnownPlatform = Exclude<Platform, 'custom'>

/** A fetched page. `url` is its address after redirects; header names are in lower case. */
export type Page = { url: URL; headers: Record<string, string>; markup: Markup }

/** A platform that a page suggests, and the address on the same host that would confirm it. */
export type Suggestion = { platform: KnownPlatform; probe: URL }

/** What the rules examine. `own` are the files that the page loads from its own site, `all` those from anywhere. */
type Evidence = Page & { own: URL[]; all: URL[] }

const LONGEST_URL = 2_048
const MOST_FILES = 1_000

/** Front ends come first: what answers visitors is the site's platform, even if WordPress is its back end. */
const RULES: Array<[KnownPlatform, (evidence: Evidence) => URL | undefined]> = [
  ['nextjs', nextjs],
  ['sveltekit', sveltekit],
  ['gatsby', gatsby],
  ['wordpress', wordpress],
]

/** Every platform that the page suggests, likeliest first. */
export function suggestPlatforms(page: Page): Suggestion[] {
  const all = loadedFiles(page)
  const evidence = { ...page, all, own: all.filter((file) => isSameSite(file, page.url)) }
  return RULES.flatMap(([platform, rule]) => {
    const probe = rule(evidence)
    return probe === undefined ? [] : [{ platform, probe }]
  })
}

const NEXT_FOLDER = '/_next/static/'

/** Confirmed by one of its scripts or styles. With an asset prefix the page loads them from elsewhere; the server has them too. */
function nextjs({ url, headers, markup, own, all }: Evidence): URL | undefined {
  const isFile = ({ pathname }: URL) => pathname.includes(NEXT_FOLDER) && /\.(?:js|css)$/.test(pathname)
  const file = own.find(isFile)
  if (file !== undefined) return onHostOf(url, file.pathname + file.search)
  const suggested =
    headers['x-powered-by']?.includes('Next.js') ||
    Object.keys(headers).some((name) => name.startsWith('x-nextjs-')) ||
    headers.vary?.toLowerCase().includes('next-router-state-tree') ||
    markup.tags.some((tag) => tag.attributes.get('id') === '__NEXT_DATA__') ||
    markup.scripts.some((script) => /^\s*\(?self\.__next_f\b/.test(script))
  const elsewhere = suggested ? all.find(isFile) : undefined
  return elsewhere && onHostOf(url, elsewhere.pathname.slice(elsewhere.pathname.indexOf('/_next/')))
}

const KIT_FILE = /^(.*)\/_app\/immutable\//
const KIT_SCRIPT = /^\{?\s*__sveltekit_\w+\s*=/
const IMPORTS = /\bimport\("([^"\s]+)"\)/g

/** Confirmed by the version file that its clients poll. */
function sveltekit({ url, headers, markup, own }: Evidence): URL | undefined {
  const imported = markup.scripts.flatMap((script) =>
    [...script.matchAll(IMPORTS)].flatMap(([, file]) => toUrl(file, url)),
  )
  const bases = [...own, ...imported.filter((file) => isSameSite(file, url))].flatMap(
    (file) => KIT_FILE.exec(file.pathname)?.[1] ?? [],
  )
  const suggested =
    bases.length > 0 ||
    headers['x-sveltekit-page'] !== undefined ||
    markup.tags.some((tag) => tag.attributes.keys().some((name) => name.startsWith('data-sveltekit-'))) ||
    markup.scripts.some((script) => KIT_SCRIPT.test(script.trimStart()))
  return suggested ? onHostOf(url, `${bases[0] ?? ''}/_app/version.json`) : undefined
}

const GATSBY_FILE = /^(.*)\/page-data\//

/** Confirmed by the data file that every build has; its clients compare the hash in it. */
function gatsby({ url, markup, own }: Evidence): URL | undefined {
  const data = own.filter(({ pathname }) => pathname.endsWith('.json'))
  const bases = data.flatMap((file) => GATSBY_FILE.exec(file.pathname)?.[1] ?? [])
  const suggested =
    bases.length > 0 ||
    isGeneratedBy(markup, 'Gatsby') ||
    markup.tags.some((tag) => tag.attributes.get('id') === '___gatsby')
  return suggested ? onHostOf(url, `${bases[0] ?? ''}/page-data/app-data.json`) : undefined
}

const WORDPRESS_FILE = /^(.*)\/(?:wp-content|wp-includes)\//
const API_RELATION = 'https://api.w.org/'
const API_HEADER = /<([^<>\s]+)>\s*;\s*rel="?https:\/\/api\.w\.org\/"?/

/** Confirmed by the root of its REST API, which pages announce. Only one field is requested, because all can be megabytes. */
function wordpress({ url, headers, markup, own }: Evidence): URL | undefined {
  const linked = markup.tags.find((tag) => tag.name === 'link' && tag.attributes.get('rel') === API_RELATION)
  const announced = [API_HEADER.exec(headers.link ?? '')?.[1], linked?.attributes.get('href')]
    .flatMap((text) => toUrl(text, url))
    .find((api) => isSameSite(api, url))
  const bases = own.flatMap((file) => WORDPRESS_FILE.exec(file.pathname)?.[1] ?? [])
  if (announced === undefined && bases.length === 0 && !isGeneratedBy(markup, 'WordPress')) return undefined
  const probe = onHostOf(
    url,
    announced === undefined ? `${bases[0] ?? ''}/wp-json/` : announced.pathname + announced.search,
  )
  probe.searchParams.set('_fields', 'namespaces')
  return probe
}

function isGeneratedBy(markup: Markup, name: string): boolean {
  return generatorsIn(markup).some((generator) => generator.startsWith(name))
}

/** What the page says it was made with, such as `Astro v7.1.0`, in a hundred characters at most. Anybody can write that: it decides nothing. */
export function generatorOf(markup: Markup): string | undefined {
  return generatorsIn(markup)[0]?.slice(0, 100)
}

function generatorsIn({ tags }: Markup): string[] {
  return tags.flatMap(({ name, attributes }) =>
    name === 'meta' && attributes.get('name')?.toLowerCase() === 'generator' ? (attributes.get('content') ?? []) : [],
  )
}

/** The files that a browser would load with the page, never those it only links to. */
function loadedFiles({ url, markup }: Page): URL[] {
  const base = markup.tags.find(({ name, attributes }) => name === 'base' && attributes.has('href'))
  const [root = url] = toUrl(base?.attributes.get('href'), url)
  return markup.tags
    .flatMap(fileOf)
    .slice(0, MOST_FILES)
    .flatMap((text) => toUrl(text, root))
}

function fileOf({ name, attributes }: Tag): string[] {
  const file = attributes.get(name === 'link' ? 'href' : 'src')
  return file === undefined ? [] : [file]
}

/** None for an address that is long itself, or becomes so with its base. */
function toUrl(text: string | undefined, base: URL): URL[] {
  const url = text === undefined || text.length > LONGEST_URL ? null : URL.parse(text, base)
  return url === null || url.href.length > LONGEST_URL ? [] : [url]
}

/** An address on the page's own host, even if the path begins with `//`. */
function onHostOf({ origin }: URL, pathAndQuery: string): URL {
  return new URL(origin + pathAndQuery)
}
