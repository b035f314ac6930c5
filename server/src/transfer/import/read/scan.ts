/** Searching texts that anybody may have written: each of these takes time in proportion to the text. */

/** A tag of HTML. */
export const TAG_PATTERN = `<\\/?[a-z][a-z0-9]*\\b(?:"[^"]{0,65536}"|'[^']{0,65536}'|[^'"<>]){0,4000}>`

const lower = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Replaces what stands between a beginning and its end, both included. `begin` is global, with the name in its first group; `endOf` is in
 * lower case. A beginning without an end stays.
 */
export function replacePairs(
  text: string,
  begin: RegExp,
  endOf: (name: string) => string,
  replace: (found: RegExpExecArray, inner: string, whole: string) => string,
): string {
  const lowered = lower(text)
  const endless = new Set<string>()
  const pattern = new RegExp(begin)
  let [out, done] = ['', 0]
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const end = endOf(lower(found[1] ?? ''))
    const from = found.index + found[0].length
    const at = endless.has(end) ? -1 : lowered.indexOf(end, from)
    if (at === -1) {
      endless.add(end)
      continue
    }
    pattern.lastIndex = at + end.length
    out +=
      text.slice(done, found.index) + replace(found, text.slice(from, at), text.slice(found.index, at + end.length))
    done = at + end.length
  }
  return out + text.slice(done)
}
