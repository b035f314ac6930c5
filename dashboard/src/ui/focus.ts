/** What has the focus, to give it back later as it was. */

/**
 * Remembers what has the focus, with the caret or the selection in it, and gives the function that puts both back. A text
 * field keeps its caret by itself. A rich text does not: its caret is the one of the whole page, which the next field takes,
 * and the browser starts again at the beginning of the text. The editor notices a moment later, but a key may come before.
 */
export function rememberFocus(): () => void {
  const element = document.activeElement
  const selection = document.getSelection()
  const range = selection?.rangeCount ? selection.getRangeAt(0).cloneRange() : undefined
  return () => {
    if (!(element instanceof HTMLElement) || element === document.body) return
    element.focus()
    if (range === undefined || !element.isContentEditable || !element.contains(range.commonAncestorContainer)) return
    document
      .getSelection()
      ?.setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset)
  }
}
