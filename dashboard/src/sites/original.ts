/** Which site has the original of a post. Pure. */
import type { Site } from '@postrider/sdk'

/** The site that is proposed for the original of a post: the usual one, else one whose addresses are known; undefined if none of its sites may be. */
export function proposedOriginal<One extends Pick<Site, 'id' | 'post_url'>>(
  sites: readonly One[],
  usual: string | null,
): One | undefined {
  return sites.find(({ id }) => id === usual) ?? sites.find(({ post_url: pattern }) => pattern !== null) ?? sites[0]
}
