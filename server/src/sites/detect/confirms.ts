import type { KnownPlatform } from './clues.ts'

/** The answer to a probe. `truncated`: the body was longer. */
export type ProbeAnswer = { status: number; headers: Record<string, string>; text: string; truncated: boolean }

const SCRIPT_OR_STYLE = /^\s*(?:(?:text|application)\/(?:x-)?javascript|text\/css)\s*(?:;|$)/i
const NAMESPACES = '"namespaces"'
const WP_NAMESPACE = /^\s*:\s*\[[^\]]{0,4096}"wp\\?\/v2"/

/**
 * Whether only this platform would answer the probe so. Servers that answer everything with 200 and a page, and firewalls
 * that refuse, do not.
 */
export function confirms(platform: KnownPlatform, answer: ProbeAnswer): boolean {
  switch (platform) {
    case 'nextjs':
      return answer.status === 200 && SCRIPT_OR_STYLE.test(answer.headers['content-type'] ?? '')
    case 'sveltekit':
      return answer.status === 200 && typeof readObject(answer.text).version === 'string'
    case 'gatsby':
      return answer.status === 200 && typeof readObject(answer.text).webpackCompilationHash === 'string'
    case 'wordpress':
      return isWordPressIndex(answer) || isWordPressRefusal(answer)
  }
}

function isWordPressIndex({ status, text, truncated }: ProbeAnswer): boolean {
  if (status !== 200) return false
  if (truncated) return isCutIndex(text)
  const { namespaces } = readObject(text)
  return Array.isArray(namespaces) && namespaces.includes('wp/v2')
}

/**
 * Whether a cut-off text is a WordPress index: a REST API that ignores `_fields` sends a long one. The first `"namespaces"` is the
 * field, near the top: within a text, quotes are escaped.
 */
function isCutIndex(text: string): boolean {
  const at = text.indexOf(NAMESPACES)
  return at !== -1 && text.trimStart().startsWith('{') && WP_NAMESPACE.test(text.slice(at + NAMESPACES.length))
}

/** A site that restricts its REST API to members refuses in WordPress's format, which a firewall does not use. */
function isWordPressRefusal({ status, text }: ProbeAnswer): boolean {
  if (status !== 401 && status !== 403) return false
  const { code, data } = readObject(text)
  return typeof code === 'string' && code.startsWith('rest_') && typeof data === 'object' && data !== null
}

/** The members of a JSON object; none when the text is anything else. */
function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
