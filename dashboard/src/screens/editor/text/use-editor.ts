import type { Editor } from '@tiptap/core'
import { useRef, useSyncExternalStore } from 'react'
import { isSame } from '../draft.ts'

/** A value derived from the editor's state; the component renders again when it changes. */
export function useOfEditor<Value>(editor: Editor, select: (editor: Editor) => Value): Value {
  const last = useRef<{ value: Value }>(undefined)
  return useSyncExternalStore(
    (listener) => {
      editor.on('transaction', listener)
      return () => void editor.off('transaction', listener)
    },
    () => {
      const value = select(editor)
      if (last.current === undefined || !isSame(last.current.value, value)) last.current = { value }
      return last.current.value
    },
  )
}
