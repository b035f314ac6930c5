import type { Editor } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { ImageOff, PenLine } from 'lucide-react'
import type { Asking } from '../address-dialog.tsx'
import { Floating, selectionRect } from './floating.tsx'
import { Tool } from './tool.tsx'

type ImageBarProps = { editor: Editor; ask: (asking: Asking) => void }

/** The selected picture. */
export function ImageBar({ editor, ask }: ImageBarProps) {
  return (
    <Floating editor={editor} label="Picture" placement="top" when={isImage} beside={selectionRect}>
      <Tool label="Address and description" icon={<PenLine />} act={() => ask({ kind: 'image' })} />
      <Tool label="Remove the picture" icon={<ImageOff />} act={() => editor.chain().focus().deleteSelection().run()} />
    </Floating>
  )
}

function isImage({ state: { selection } }: Editor): boolean {
  return selection instanceof NodeSelection && selection.node.type.name === 'image'
}
