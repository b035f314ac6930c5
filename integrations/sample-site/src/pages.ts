import type { WebhookPost } from '@postrider/sdk/webhooks'

const STYLE = `
  :root { color-scheme: light dark; --ink: light-dark(#1c1917, #f5f5f4); --quiet: light-dark(#78716c, #a8a29e); --paper: light-dark(#fdfcfa, #1c1917); --accent: light-dark(#0f766e, #5eead4) }
  body { margin: 0; background: var(--paper); color: var(--ink); font: 1.125rem/1.65 ui-serif, Georgia, serif }
  main, header { max-width: 42rem; margin: 0 auto; padding: 2rem 1.25rem }
  header { padding-bottom: 0 }
  h1 { line-height: 1.2; text-wrap: balance }
  a { color: var(--accent) }
  .quiet { color: var(--quiet); font: .875rem/1.5 ui-sans-serif, system-ui, sans-serif }
  li { margin-block: 1rem }
  ul { list-style: none; padding: 0 }
  img { max-width: 100% }`

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><header class="quiet"><a href="/">Sample site</a></header><main>${content}</main></body>
</html>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** The front page: every post that arrived, newest first. */
export function indexPage(posts: readonly WebhookPost[]): string {
  const items = posts.map(
    (post) =>
      `<li><a href="/posts/${encodeURIComponent(post.slug)}">${escaped(post.title)}</a><br><span class="quiet">${when(post)}</span><br>${escaped(post.excerpt)}</li>`,
  )
  const list = items.length === 0 ? '<p>No posts have arrived yet.</p>' : `<ul>${items.join('')}</ul>`
  return page('Sample site', `<h1>Posts that arrived</h1>${list}`)
}

/** One post. Postrider sanitised its HTML and the signature was verified, so it is shown as it came. */
export function postPage(post: WebhookPost): string {
  return page(post.title, `<h1>${escaped(post.title)}</h1><p class="quiet">${when(post)}</p>${post.body.html}`)
}

/** The page for an unknown path. */
export function missingPage(): string {
  return page('Not found', '<h1>There is nothing here</h1>')
}

function when(post: WebhookPost): string {
  return `version ${post.version} · published ${escaped(post.published_at)}${post.tags.length > 0 ? ` · ${escaped(post.tags.join(', '))}` : ''}`
}
