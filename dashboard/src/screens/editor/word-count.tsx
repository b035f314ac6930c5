import type { DocNode } from '@postrider/server/posts/body/schema'
import { countWords, docToText } from '@postrider/server/posts/body/text'
import { useDeferredValue, useMemo } from 'react'
import { counted } from '../../format.ts'
import type { Body } from './draft.ts'
import { textOfHtml } from './html-text.ts'

/** The number of words, as the service counts them. */
export function WordCount({ body }: { body: Body }) {
  const now = useDeferredValue(body)
  const words = useMemo(() => countWords(textOf(now)), [now])
  return <span className="figures">{counted(words, 'word')}</span>
}

function textOf({ form, value }: Body): string {
  if (form === 'json') return docToText(value as DocNode)
  if (form === 'markdown') return value
  return textOfHtml(value)
}
