import type { ConversionWarning } from '@postrider/sdk'
import { useState } from 'react'
import { sentence } from '../../../api.ts'
import { toast } from '../../../ui/toast.tsx'
import type { Body, Doc } from '../draft.ts'
import { lostWords } from '../saving/lost-words.ts'
import type { OpenPost } from '../saving/open-post.ts'
import { convert } from './conversion.ts'

/** A form of the text, or how it looks. */
export type Tab = 'json' | 'markdown' | 'html' | 'preview'

/** Which form of the text is shown, and the text in each form that has been shown. */
export function useForms(openPost: OpenPost, first: Body) {
  const [tab, setTab] = useState<Tab>(first.form)
  /** The tab whose text is being converted. */
  const [busy, setBusy] = useState<Tab>()
  const [rich, setRich] = useState(first.form === 'json' ? { doc: first.value, edition: 0 } : undefined)
  const [source, setSource] = useState(first.form === 'json' ? '' : first.value)
  const [preview, setPreview] = useState('')
  /** Words of the typed HTML that no other form has. */
  const [lost, setLost] = useState<readonly string[]>([])
  /** What the other forms could not keep of a text that is not stored yet. */
  const [warnings, setWarnings] = useState<readonly ConversionWarning[]>([])

  const show = async (next: Tab) => {
    if (next === tab || busy !== undefined) return
    setBusy(next)
    try {
      for (;;) {
        const { body } = openPost.view().draft
        const forms = next === body.form ? undefined : await convert(openPost)
        if (openPost.view().draft.body !== body) continue // somebody went on typing
        const text = forms === undefined ? body.value : forms[next === 'preview' ? 'html' : next]
        // All at once: in between, what is typed in one form would be taken for the other.
        if (next === 'preview') setPreview(String(text))
        else if (next !== 'json') setSource(String(text))
        // The rich text is still there if it has not been changed in another form.
        else if (body.form !== 'json') setRich((before) => ({ doc: text as Doc, edition: (before?.edition ?? 0) + 1 }))
        const isLossy = forms !== undefined && body.form !== 'json'
        setLost(isLossy && body.form === 'html' ? lostWords(body.value, forms.html) : [])
        setWarnings(isLossy ? (forms.warnings ?? []) : [])
        return setTab(next)
      }
    } catch (error) {
      toast({ tone: 'failed', text: `The text could not be converted. ${sentence(error)}` })
    } finally {
      setBusy(undefined)
    }
  }
  const type = (form: 'markdown' | 'html', value: string) => {
    setSource(value)
    openPost.change({ body: { form, value } })
  }
  return { tab, busy, rich, source, preview, lost, warnings, show, type }
}
