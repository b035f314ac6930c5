/** Which addresses a post may have, by the server's own rules. */
import { attributeRules } from '@postrider/server/posts/body/attributes'
import { embedOf as embedAt } from '@postrider/server/posts/body/embeds'

/** The address in the form allowed in a link, or undefined. */
export function linkAddress(href: string): string | undefined {
  return text(attributeRules('mark', 'link').href?.read(href, {}))
}

/** The address in the form allowed in an image, or undefined. */
export function imageAddress(src: string): string | undefined {
  return text(attributeRules('node', 'image').src?.read(src, {}))
}

/** The frame at an address, or undefined if it is not from a provider that posts may embed unless the operator says otherwise. */
export function embedOf(address: string): { provider: string; src: string } | undefined {
  return embedAt(address)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
