/** The post as a plain page, in a frame without scripts. */

/**
 * The page: the service's HTML under its title. The frame forbids scripts, forms and plugins, whatever the page contains; it
 * may only open links in new tabs. It has our origin, so that the style sheet is allowed.
 */
export function Preview({ title, html }: { title: string; html: string }) {
  return (
    <iframe
      title="Preview"
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcDoc={pageOf(title, html)}
      className="h-[75dvh] w-full rounded-lg bg-sheet ring-1 ring-line"
    />
  )
}

function pageOf(title: string, html: string): string {
  // Nothing in a document without a window runs or loads.
  const page = document.implementation.createHTMLDocument(title)
  const { documentElement: root, head, body } = page
  root.lang = document.documentElement.lang
  root.dataset.theme = document.documentElement.dataset.theme ?? 'system'
  const sheet = page.createElement('link')
  sheet.rel = 'stylesheet'
  sheet.href = '/preview.css'
  const target = page.createElement('base')
  target.target = '_blank'
  head.append(sheet, target)
  const heading = page.createElement('h1')
  heading.textContent = title
  heading.dir = 'auto'
  const article = page.createElement('article')
  article.innerHTML = html
  // Each block in the direction of its words, as in the editor.
  for (const block of article.querySelectorAll<HTMLElement>(':scope > :not(pre)')) block.dir = 'auto'
  for (const frame of article.querySelectorAll('iframe')) frame.replaceWith(linkTo(page, frame.src))
  article.prepend(heading)
  body.append(article)
  return `<!doctype html>${root.outerHTML}`
}

/** A link in place of a video, because videos need scripts. */
function linkTo(page: Document, address: string): HTMLElement {
  const paragraph = page.createElement('p')
  const link = page.createElement('a')
  link.href = address
  link.textContent = `Video: ${address}`
  paragraph.append(link)
  paragraph.className = 'video'
  return paragraph
}
