/** What has the focus, to give it back later as it was. */

/** A rich text of the editor, which knows its caret. */
type RichText = Element & { editor?: { view: { focus(): void } } }

/**
 * Remembers what has the focus, and gives the function that puts it back. A text field keeps its caret by itself. A rich text does
 * not: its caret is the one of the whole page, which the next field takes, and the browser starts again at the beginning of the
 * text. The editor notices a moment later, but a key may come before: so it is the editor that takes the focus back.
 */
export function rememberFocus(): () => void {
  const element: RichText | null = document.activeElement
  return () => {
    if (element?.editor !== undefined) element.editor.view.focus()
    else if (element instanceof HTMLElement && element !== document.body) element.focus()
  }
}
