/** What a site names in its `content.config.ts`. */
import { z } from 'astro/zod'
import { type LoaderContext, loadPosts, type PostData } from './load.ts'

/** What Astro calls a loader. */
export type PostLoader = { name: string; load(context: LoaderContext): Promise<void>; schema: z.ZodType<PostData> }

/** Loads the posts of a site. Without `connection`, its code is that in POSTRIDER_CONNECTION of the environment, or of `.env`. A build that cannot read the service fails. */
export function postLoader({ connection }: { connection?: string | undefined } = {}): PostLoader {
  return {
    name: '@postrider/astro',
    schema: z.custom<PostData>(),
    load: (context) => loadPosts(context, connection),
  }
}
