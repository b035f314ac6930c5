/** The text as it will look, and the toolbars that float above it. */
import { Editor, type EditorOptions } from '@tiptap/core'
import { Dropcursor, Gapcursor, Placeholder, UndoRedo } from '@tiptap/extensions'
import { TextSelection } from '@tiptap/pm/state'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { type Doc, tidyDoc } from '../draft.ts'
import { AskAddress, type Asking } from './address-dialog.tsx'
import type { Block } from './blocks.tsx'
import { directions } from './directions.ts'
import { embedPaste } from './embed-paste.ts'
import { emptyHeadings } from './empty-headings.ts'
import { ForeignPictures } from './foreign-pictures.tsx'
import { htmlPaste } from './html-paste.ts'
import { markdownPaste } from './markdown-paste.ts'
import { missingPictures } from './missing-pictures.ts'
import { documentTypes } from './schema.ts'
import { createSlashMenu, SlashMenu } from './slash-menu.tsx'
import { FormatBar, linkKey } from './toolbars/format-bar.tsx'
import { ImageBar } from './toolbars/image-bar.tsx'
import { TableBar } from './toolbars/table-bar.tsx'

type CanvasProps = {
  /** The initial text; later changes come only from this component. */
  doc: Doc
  editable: boolean
  /** A block chosen outside that needs an address first. */
  asked: Block | undefined
  onAsked: () => void
  onChange: (doc: Doc) => void
  /** Receives the editor, or undefined when it is gone. */
  onEditor: (editor: Editor | undefined) => void
}

/** The rich text editor. Its key changes, so that it is rebuilt, when anything but typing replaces the text. */
export function Canvas({ doc, editable, asked: chosen, onAsked, onChange, onEditor }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor>()
  const [asking, setAsking] = useState<Asking>()
  const slash = useMemo(createSlashMenu, [])
  const changed = useEffectEvent((now: Editor) => onChange(tidyDoc(now.getJSON() as Doc)))
  const asked = useEffectEvent(setAsking)

  const options = (element: HTMLElement): Partial<EditorOptions> => ({
    element,
    content: doc,
    editable,
    // The content security policy refuses the editor's own style sheet; design/prose.css contains it.
    injectCSS: false,
    extensions: [
      ...documentTypes,
      UndoRedo,
      Dropcursor.configure({ class: 'drop-cursor', color: false }),
      Gapcursor,
      Placeholder.configure({ placeholder: 'Write, or press / for more' }),
      embedPaste,
      markdownPaste,
      htmlPaste((files) => asked({ kind: 'image', files })),
      emptyHeadings,
      missingPictures,
      directions,
      linkKey((asking) => asked(asking)),
      slash.extension((kind) => asked({ kind })),
    ],
    editorProps: {
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': 'Text',
        class: 'prose prose-canvas',
        spellcheck: 'true',
      },
    },
    onUpdate: ({ editor: now }) => changed(now),
  })
  const make = useEffectEvent((element: HTMLElement) => new Editor(options(element)))
  const tell = useEffectEvent(onEditor)

  useEffect(() => {
    if (place.current === null) return
    const made = make(place.current)
    setEditor(made)
    tell(made)
    return () => {
      tell(undefined)
      made.destroy()
    }
  }, [])
  useEffect(() => {
    editor?.setEditable(editable, false)
  }, [editor, editable])

  const wanted = asking ?? (chosen !== undefined && 'asks' in chosen ? { kind: chosen.asks } : undefined)
  const answered = () => {
    setAsking(undefined)
    onAsked()
  }

  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a click below the text goes to its end; by keyboard one is there already */}
      <div ref={place} className="min-h-[50dvh] cursor-text" onClick={(event) => editor && goToEnd(editor, event)} />
      {editor !== undefined && (
        <>
          <FormatBar editor={editor} ask={setAsking} />
          <TableBar editor={editor} />
          <ImageBar editor={editor} ask={setAsking} />
          <SlashMenu menu={slash} editor={editor} />
          <ForeignPictures editor={editor} />
          <AskAddress editor={editor} asking={wanted} onDone={answered} />
        </>
      )}
    </div>
  )
}

/** A click below the last block puts the caret there, even after a table or a picture. */
function goToEnd(editor: Editor, { target, currentTarget, clientY }: React.MouseEvent): void {
  const last = editor.view.dom.lastElementChild
  if (!editor.isEditable || (target !== currentTarget && target !== editor.view.dom)) return
  if (last !== null && clientY <= last.getBoundingClientRect().bottom) return
  const { doc, schema, tr } = editor.state
  const paragraph = schema.nodes.paragraph?.create()
  if (paragraph !== undefined && doc.lastChild?.isTextblock !== true) tr.insert(doc.content.size, paragraph)
  else if (doc.lastChild?.type.spec.code === true && paragraph !== undefined) tr.insert(doc.content.size, paragraph)
  editor.view.dispatch(tr.setSelection(TextSelection.atEnd(tr.doc)))
  editor.view.focus()
}
