/** A secret that is sent in a header. Throws on characters that no header can carry, such as the … of an example. */
export function parseHeaderValue(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new Error('has characters that no header can carry; copy it once more')
  return text
}
