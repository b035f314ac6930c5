import { z } from 'zod'
import { versionTag } from '../platform/http/etag.ts'

const ifMatchHeader = (description: string) =>
  z.object({
    'If-Match': z.string().optional().openapi({ pattern: '^("[^",]*"|\\*)( *, *("[^",]*"|\\*))*$', description }),
  })

/** The header by which a client says which version of a post it has. */
export const IfMatch = ifMatchHeader(
  'The ETag of the version you have; if the post is at another version, the response is 412.',
)

/** The header by which a client says what it has seen of the unpublished changes of a post. */
export const IfMatchCopy = ifMatchHeader(
  'The ETag of the working copy that you have or, if there is none, of the post; if others have saved or published changes since, the response is 412.',
)

/** The documentation of the header that says which version an answer has. */
export const ETAG = { ETag: { description: 'The version in quotes, for use in `If-Match`.', example: '"3"' } }

/** That header. */
export const etagOf = ({ post }: { post: { version: number } }) => ({ ETag: versionTag(post.version) })
