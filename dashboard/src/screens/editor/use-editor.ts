import type { Editor } from '@tiptap/core'
import { useRef, useSyncExternalStore } from 'react'
import { isSame } from './draft.ts'

/** Something about the editor as it is now; rendered again when it becomes something else. */
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
