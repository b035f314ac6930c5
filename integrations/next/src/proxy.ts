/**
 * Before a page of a post is rendered: visitors of a former address are redirected, and those of an address that no post has get the site's
 * page for that with status 404. With `cacheComponents`, a page that is not rendered yet is streamed, and its status is 200 before it is known
 * what it shows. What an address means is asked of the site's own route, which answers from the cache of Next.js.
 */
import { isPreview } from '@postrider/sdk/receiver'
import { NextResponse } from 'next/server'
import type { Place } from './blog.ts'

const ROUTE = '/api/postrider'

/** The proxy of the addresses of the blog. The site's route must be at `/api/postrider`. */
export async function proxy(request: Request): Promise<NextResponse> {
  const url = new URL(request.url)
  const parts = url.pathname.split('/')
  const answer = await fetch(new URL(`${ROUTE}?${new URLSearchParams({ path: url.pathname })}`, url)).catch(
    () => undefined,
  )
  // A page that is cached is better than an error; a preview may have ended.
  if (answer?.ok !== true) return isPreview(decoded(parts.at(-1) ?? '')) ? notFound(url) : NextResponse.next()
  const { here, slug } = (await answer.json()) as Place
  if (here) return NextResponse.next()
  if (slug === undefined) return notFound(url)
  url.pathname = [...parts.slice(0, -1), encodeURIComponent(slug)].join('/')
  return NextResponse.redirect(url, 308)
}

/** No page of the site is there, so it answers 404. */
function notFound(url: URL): NextResponse {
  return NextResponse.rewrite(new URL('/-/-/-', url))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
