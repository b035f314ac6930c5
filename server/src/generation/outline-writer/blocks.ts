/** Builds the blocks of a document from code. */
import type { DocMark, DocNode } from '../../posts/index.ts'

/** A run of text: plain, or with one mark; not empty. */
export type Run = string | { text: string; mark: 'bold' | 'italic' | 'link'; href?: string }

/** Runs as nodes, with spaces between them. */
function inline(runs: readonly Run[]): DocNode[] {
  return runs.flatMap((run, index) => {
    const space: DocNode[] = index === 0 ? [] : [{ type: 'text', text: ' ' }]
    if (typeof run === 'string') return [...space, { type: 'text', text: run }]
    const mark: DocMark = run.href === undefined ? { type: run.mark } : { type: run.mark, attrs: { href: run.href } }
    return [...space, { type: 'text', text: run.text, marks: [mark] }]
  })
}

export function paragraph(...runs: Run[]): DocNode {
  return { type: 'paragraph', content: inline(runs) }
}

export function heading(level: number, text: string): DocNode {
  return { type: 'heading', attrs: { level }, content: inline([text]) }
}

export function quote(...blocks: DocNode[]): DocNode {
  return { type: 'blockquote', content: blocks }
}

export function bullets(items: ReadonlyArray<readonly Run[]>): DocNode {
  return { type: 'bulletList', content: items.map((runs) => ({ type: 'listItem', content: [paragraph(...runs)] })) }
}

export function tasks(items: readonly string[]): DocNode {
  const item = (text: string): DocNode => ({ type: 'taskItem', attrs: { checked: false }, content: [paragraph(text)] })
  return { type: 'taskList', content: items.map(item) }
}

/** A table with a header row. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): DocNode {
  const row = (type: 'tableHeader' | 'tableCell', cells: readonly string[]): DocNode => ({
    type: 'tableRow',
    content: cells.map((cell) => ({ type, content: [paragraph(cell)] })),
  })
  return { type: 'table', content: [row('tableHeader', head), ...rows.map((cells) => row('tableCell', cells))] }
}
