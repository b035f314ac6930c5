import type { Editor } from '@tiptap/core'
import { isInTable } from '@tiptap/pm/tables'
import {
  BetweenHorizontalStart,
  BetweenVerticalStart,
  PanelTop,
  TableColumnsSplit,
  TableRowsSplit,
  Trash2,
} from 'lucide-react'
import { Floating, selectionRect } from './floating.tsx'
import { Line, Tool } from './tool.tsx'

/** The rows and columns of the table around the caret. */
export function TableBar({ editor }: { editor: Editor }) {
  const run = () => editor.chain().focus()
  return (
    <Floating
      editor={editor}
      label="Table"
      placement="bottom-start"
      when={({ state }) => isInTable(state)}
      beside={tableRect}
    >
      <Tool label="Add a row" icon={<BetweenHorizontalStart />} act={() => run().addRowAfter().run()} />
      <Tool label="Add a column" icon={<BetweenVerticalStart />} act={() => run().addColumnAfter().run()} />
      <Tool label="Delete the row" icon={<TableRowsSplit />} act={() => run().deleteRow().run()} />
      <Tool label="Delete the column" icon={<TableColumnsSplit />} act={() => run().deleteColumn().run()} />
      <Tool label="First row is a heading" icon={<PanelTop />} act={() => run().toggleHeaderRow().run()} />
      <Line />
      <Tool label="Delete the table" icon={<Trash2 />} act={() => run().deleteTable().run()} />
    </Floating>
  )
}

function tableRect(editor: Editor): DOMRect {
  const { node } = editor.view.domAtPos(editor.state.selection.from)
  const element = node instanceof Element ? node : node.parentElement
  return element?.closest('table')?.getBoundingClientRect() ?? selectionRect(editor)
}
