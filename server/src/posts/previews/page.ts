/** The page of a preview link: the post as a plain page without scripts, which no search engine keeps and no other page frames. */
import type { Context } from '../../platform/context.ts'
import { escapeHtml } from '../../platform/html.ts'
import type { SystemRoute } from '../../platform/http/pipeline.ts'
import { defaultEmbedHosts } from '../body/embeds.ts'
import { type Previewed, previewed } from './operations.ts'

/** The page: 404 for a link that never was, 410 for one that has ended. */
export function previewPageRoute(ctx: Context): SystemRoute {
  const headers = pageHeaders(ctx.config.embedHosts)
  return {
    path: '/preview/{token}',
    async answer({ url }) {
      const found = await previewed(ctx, url.split('/').at(-1)?.split('?')[0] ?? '')
      if (found === undefined) return { status: 404, content: missingPage(false), headers }
      if (found === 'gone') return { status: 410, content: missingPage(true), headers }
      return { status: 200, content: pageOfPost(found), headers }
    },
  }
}

/** `embedHosts`: whose frames a post may show. */
function pageHeaders(embedHosts: readonly string[] = defaultEmbedHosts): Record<string, string> {
  const frames = [...new Set(embedHosts.map((host) => `https://${host.split('/')[0]}`))]
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src http: https: data:',
    'media-src http: https:',
    `frame-src ${frames.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Robots-Tag': 'noindex, nofollow',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
  }
}

const ENDS = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short',
}) // biome-ignore format: options

/** Its body was sanitised when it was stored. */
function pageOfPost({ post, expiresAt }: Previewed): string {
  return pageOf(
    post.title,
    `<p class="note">A preview, until ${ENDS.format(expiresAt)}. Only those who have the link can read it.</p>
<h1 dir="auto">${escapeHtml(post.title)}</h1>
<div dir="auto">${post.body_html}</div>`,
  )
}

function missingPage(isGone: boolean): string {
  const title = isGone ? 'This preview is over' : 'There is no such preview'
  const next = isGone
    ? 'Its link has expired or was taken back. Ask whoever sent it to you for a new one.'
    : 'Check that you have the whole link, or ask whoever sent it to you.'
  return pageOf(title, `<h1>${title}</h1>\n<p>${next}</p>`)
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/preview.css">
</head>
<body>
<main>
<article>
${content}
</article>
</main>
</body>
</html>
`
}
