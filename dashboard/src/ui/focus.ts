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
    focusPage()
  }
}

/**
 * Gives the focus to the page when nothing has it: what had it is gone, such as the button that published or a link of the page
 * before. The next Tab then goes on in the page instead of at the top of the window, and a screen reader reads there.
 */
export function focusPage(): void {
  if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
}
