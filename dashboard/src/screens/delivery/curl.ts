type Request = { method: string; url: string; headers: Record<string, string>; body: string }

/** Quotes any text as one word of a shell command. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A command for a POSIX shell that makes the request. The body goes through a pipe: as an argument it may be too long for the
 * system, and a here-document would add a line end, which would break the signature.
 */
export function curlOf({ method, url, headers, body }: Request): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const curl = [`curl -i -X ${method} ${quoted(url)}`, ...named, '--data-binary @-'].join(' \\\n  ')
  return `printf %s ${quoted(body)} |\n${curl}`
}
