/**
 * Converts pasted HTML to plain tags. Google Docs and Word use styles instead of tags, and the page's content security policy
 * forbids styles: the editor would find them empty, and take Google's outermost `<b style="font-weight:normal">` for bold text.
 */
import { Extension } from '@tiptap/core'
import { Plugin, Selection } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import { counted } from '../../../format.ts'
import { picturesOf } from '../../../media/upload.ts'
import { toast } from '../../../ui/toast.tsx'
import { imageAddress } from './addresses.ts'

/** The attribute that holds an element's styles, so that the browser does not apply them. */
const STYLES = 'data-style'

/**
 * The extension. `onPictures` receives the pictures that were pasted or dropped as files, or whose bytes are in the HTML. Those whose bytes are
 * elsewhere, on the disk of whoever wrote the text, cannot be kept; the person is told so.
 */
export const htmlPaste = (onPictures: (files: File[]) => void) =>
  Extension.create({
    name: 'htmlPaste',
    addProseMirrorPlugins() {
      const transformPastedHTML = (html: string) => {
        // HTML copied from this editor already uses tags.
        if (html.includes('data-pm-slice')) return html
        const page = new DOMParser().parseFromString(withoutStyles(html), 'text/html')
        for (const element of page.querySelectorAll(`[${STYLES}]`)) sayInTags(element)
        for (const item of page.querySelectorAll(`[${STYLES}*="mso-list"]`)) if (!isIgnored(item)) listFrom(item)
        const images = [...page.images].filter((image) => imageAddress(image.getAttribute('src') ?? '') === undefined)
        const files = images.flatMap((image) => fileIn(image.getAttribute('src') ?? ''))
        if (files.length > 0) onPictures(files)
        sayLeftOut(images.length - files.length)
        return page.body.innerHTML
      }
      const handlePaste = (_: EditorView, { clipboardData }: ClipboardEvent) => take(filesIn(clipboardData))
      const handleDrop = (view: EditorView, { dataTransfer, clientX: left, clientY: top }: DragEvent) => {
        const files = filesIn(dataTransfer)
        const at = files.length === 0 ? null : view.posAtCoords({ left, top })
        if (at !== null) view.dispatch(view.state.tr.setSelection(Selection.near(view.state.doc.resolve(at.pos))))
        return take(files)
      }
      const take = (files: File[]) => {
        if (files.length > 0) onPictures(files)
        return files.length > 0
      }
      return [new Plugin({ props: { transformPastedHTML, handlePaste, handleDrop } })]
    },
  })

function withoutStyles(html: string): string {
  return html
    .replace(/<style[\s\S]*?<\/style>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle(?=\s*=)/i, ` ${STYLES}`))
}

function stylesOf(element: Element): Map<string, string> {
  const declarations = (element.getAttribute(STYLES) ?? '').split(';').map((one) => one.split(':'))
  return new Map(declarations.map(([name = '', value = '']) => [name.trim().toLowerCase(), value.trim().toLowerCase()]))
}

function sayInTags(element: Element): void {
  const styles = stylesOf(element)
  const weight = styles.get('font-weight')
  const isBold = weight !== undefined && (weight.startsWith('bold') || Number(weight) >= 600)
  if (element.matches('b, strong')) {
    if (weight !== undefined && !isBold) element.replaceWith(...element.childNodes)
    return
  }
  const tags = [
    // A heading is bold by itself.
    isBold && element.closest('h1, h2, h3, h4, h5, h6') === null ? 'strong' : undefined,
    styles.get('font-style') === 'italic' ? 'em' : undefined,
    styles.get('text-decoration')?.includes('line-through') ? 's' : undefined,
  ]
  for (const tag of tags) {
    if (tag === undefined || element.textContent === '') continue
    const inner = element.ownerDocument.createElement(tag)
    inner.append(...element.childNodes)
    element.append(inner)
  }
}

/** Whether the element is Word's bullet or number before the text of a list item. */
function isIgnored(element: Element): boolean {
  return stylesOf(element).get('mso-list') === 'ignore'
}

/** Converts Word's paragraph with a bullet or number to a list item; it continues the list before it. */
function listFrom(paragraph: Element): void {
  const sign = [...paragraph.querySelectorAll(`[${STYLES}]`)].find(isIgnored)
  const tag = /^\s*[\da-z]+[.)]/i.test(sign?.textContent ?? '') ? 'ol' : 'ul'
  const level = Number(/level(\d)/.exec(stylesOf(paragraph).get('mso-list') ?? '')?.[1] ?? 1)
  sign?.remove()
  const item = paragraph.ownerDocument.createElement('li')
  item.append(...paragraph.childNodes)
  listBefore(paragraph, tag, level).append(item)
  paragraph.remove()
}

/** The list for an item of this level: the one before the paragraph, or a list in its last item, or a new one there. */
function listBefore(paragraph: Element, tag: 'ol' | 'ul', level: number): Element {
  const { ownerDocument: page, previousElementSibling: before } = paragraph
  if (before === null || !before.matches(level > 1 ? 'ul, ol' : tag)) {
    const list = page.createElement(tag)
    paragraph.before(list)
    return list
  }
  let list = before
  for (let depth = 1; depth < level && list.lastElementChild !== null; depth += 1) {
    const item: Element = list.lastElementChild
    const inner = item.querySelector(':scope > ul, :scope > ol') ?? page.createElement(tag)
    item.append(inner)
    list = inner
  }
  return list
}

/** The picture files pasted without HTML; with HTML, the files are the pictures that the HTML shows. */
function filesIn(data: DataTransfer | null): File[] {
  return data?.types.includes('text/html') === true ? [] : picturesOf(data)
}

/** The picture whose bytes an address holds. */
function fileIn(address: string): File[] {
  const [, type = '', base64 = ''] = /^data:(image\/[\w+.-]+);base64,([\w+/=\s]+)$/.exec(address) ?? []
  if (base64 === '') return []
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  return [new File([bytes], `pasted.${type.slice('image/'.length)}`, { type })]
}

/** Tells the person if pictures were left out. */
function sayLeftOut(pictures: number): void {
  if (pictures === 0) return
  const text = `${counted(pictures, 'picture')} left out: the program you copied from did not hand over the file. Save it, then drop it here.`
  toast({ tone: 'failed', text })
}
