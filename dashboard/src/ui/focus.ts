/** Remembers and restores the focus. */

/** A rich text of the editor, which knows its caret. */
type RichText = Element & { editor?: { view: { focus(): void } } }

/**
 * Remembers what has the focus, and returns the function that restores it. A text field keeps its caret by itself. A rich text does
 * not: its caret is the page's selection, which the next field takes, and the browser then starts at the beginning of the text.
 * The editor corrects that a moment later, but a key may come before; so the editor itself takes the focus back.
 */
export function rememberFocus(): () => void {
  const element: RichText | null = document.activeElement
  return () => {
    if (element?.editor !== undefined) element.editor.view.focus()
    else if (element instanceof HTMLElement && element !== document.body) element.focus()
  }
}
