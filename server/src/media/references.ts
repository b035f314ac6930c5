/** Pictures of ours in texts: their addresses say which they are, on whatever host the service was when the text was written. */

const ADDRESS = /https?:\/\/[^\s"'<>()]+?\/media\/([0-9a-f]{32})\/[^\s"'<>()?#&]+/g

/** The addresses of pictures in texts, without their queries, by the hash that each has in it; of each picture the first. */
export function pictureAddresses(...texts: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of texts)
    for (const [address, hash = ''] of text.matchAll(ADDRESS)) if (!found.has(hash)) found.set(hash, address)
  return found
}
