/** Pictures that lie elsewhere, and copying them: if they go away there, they go away in the post. */
import type { Editor } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { useEffect, useRef, useState } from 'react'
import { api, sentence } from '../../../api.ts'
import { counted } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { toast } from '../../../ui/toast.tsx'
import { useOfEditor } from './use-editor.ts'

/** The addresses of pictures that Postrider keeps, on whatever host it was when the text was written. */
const OURS = /\/media\/[0-9a-f]{32}\//

/** Offers to copy the pictures of a text that are on other servers. */
export function ForeignPictures({ editor }: { editor: Editor }) {
  const foreign = useOfEditor(editor, ({ state }) => foreignIn(state.doc))
  const [copied, setCopied] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  if (foreign.length === 0 || !editor.isEditable) return null

  const copyAll = async () => {
    const mine = new AbortController()
    running.current = mine
    const failed: string[] = []
    for (const [index, { src, alt }] of foreign.entries()) {
      setCopied(index)
      try {
        const { url } = await api.media.addFromUrl(
          { url: src, ...(alt === '' ? {} : { alt }) },
          { signal: mine.signal },
        )
        replace(editor, src, url)
      } catch (error) {
        if (mine.signal.aborted) break
        failed.push(sentence(error))
      }
    }
    setCopied(undefined)
    if (failed.length > 0)
      toast({ tone: 'failed', text: `${counted(failed.length, 'picture')} not copied. ${failed[0]}` })
  }
  const isCopying = copied !== undefined
  return (
    <div className="mt-6">
      <Notice
        title={`${counted(foreign.length, 'picture')} on other websites`}
        action={
          <Button size="sm" onClick={() => (isCopying ? running.current?.abort() : void copyAll())}>
            {isCopying ? 'Cancel' : foreign.length === 1 ? 'Copy it here' : 'Copy them here'}
          </Button>
        }
      >
        <span role="status">
          {isCopying
            ? `Copying ${copied + 1} of ${foreign.length} …`
            : foreign.length === 1
              ? 'If it goes away there, it is missing in the post too.'
              : 'If they go away there, they are missing in the post too.'}
        </span>
      </Notice>
    </div>
  )
}

/** The pictures elsewhere, each once. */
function foreignIn(doc: Node): Array<{ src: string; alt: string }> {
  const found = new Map<string, string>()
  doc.descendants(({ type, attrs }) => {
    if (type.name === 'image' && !OURS.test(String(attrs.src))) found.set(String(attrs.src), String(attrs.alt))
  })
  return [...found].map(([src, alt]) => ({ src, alt }))
}

/** Gives every picture with an address another one. */
function replace(editor: Editor, from: string, to: string): void {
  if (editor.isDestroyed) return
  const { tr, doc } = editor.state
  doc.descendants((node, at) => {
    if (node.type.name === 'image' && node.attrs.src === from) tr.setNodeAttribute(at, 'src', to)
  })
  editor.view.dispatch(tr)
}
