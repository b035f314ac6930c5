/** A secret that is sent in a header. Throws on characters that no header can carry, such as the … of an example. */
export function parseHeaderValue(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text))
    throw new Error('has characters that are not allowed in an HTTP header; copy it again')
  return text
}
