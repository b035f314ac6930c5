import type { DocNode } from '@postrider/server/posts/body/schema'
import { docToText } from '@postrider/server/posts/body/text'
import { ImageOff } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import type { Doc, Draft } from '../draft.ts'

/** `words`: the first words of the text. */
type PreviewProps = { draft: Draft; words: string; host: string }

/** The most characters that search engines and social networks show. */
const CUT = { title: 60, description: 160 }

/** The post roughly as a search engine shows it. */
export function SearchPreview({ draft, words, host }: PreviewProps) {
  const { title, description } = shownOf(draft, words)
  return (
    <figure
      aria-label="About as search engines show it"
      className="grid grid-cols-1 gap-0.5 rounded-md bg-well px-3 py-2.5 wrap-anywhere"
    >
      <p className="clip text-sm text-faint">
        {host}
        {draft.slug !== '' && ` › ${draft.slug}`}
      </p>
      <p dir="auto" className="font-serif text-lg/6 font-[600]">
        {title}
      </p>
      <p dir="auto" className="font-serif text-quiet">
        {description}
      </p>
    </figure>
  )
}

/** The post roughly as a card on a social network. */
export function SocialPreview({ draft, words, host }: PreviewProps) {
  const { title, description } = shownOf(draft, words)
  const picture = draft.ogImage.trim()
  return (
    <figure aria-label="About as social networks show it" className="overflow-clip rounded-md bg-well ring-1 ring-line">
      {picture !== '' && <Picture key={picture} address={picture} />}
      <div className="grid grid-cols-1 gap-0.5 px-3 py-2.5 wrap-anywhere">
        <p className="clip text-sm text-faint">{host}</p>
        <p dir="auto" className="line-clamp-2 font-serif font-[600]">
          {title}
        </p>
        <p dir="auto" className="line-clamp-2 font-serif text-sm text-quiet">
          {description}
        </p>
      </div>
    </figure>
  )
}

/** The picture in a card's proportions, whatever its own are. */
function Picture({ address }: { address: string }) {
  const [failed, setFailed] = useState(false)
  if (failed)
    return (
      <p className="flex aspect-[1.91] items-center justify-center gap-2 px-4 text-sm text-quiet" role="status">
        <ImageOff className="size-4 shrink-0" aria-hidden="true" />
        There is no picture at this address
      </p>
    )
  return (
    <img
      src={address}
      alt=""
      referrerPolicy="no-referrer"
      className="block aspect-[1.91] w-full object-cover"
      onError={() => setFailed(true)}
    />
  )
}

/** The first words of a text, more than any preview shows. */
export function useFirstWords(doc: Doc | undefined): string {
  const now = useDeferredValue(doc)
  return useMemo(() => {
    const text = now === undefined ? '' : docToText(now as DocNode)
    return text.slice(0, 1_000).replace(/\s+/g, ' ').trim()
  }, [now])
}

function shownOf({ title, metaTitle, excerpt, metaDescription }: Draft, words: string) {
  const description = metaDescription.trim() || excerpt.trim() || words
  return {
    title: cut(metaTitle.trim() || title.trim() || 'Untitled', CUT.title),
    description: description === '' ? 'Some words of the text.' : cut(description, CUT.description),
  }
}

/** Cuts a text at the end of a word, if possible. */
function cut(text: string, most: number): string {
  const letters = [...text]
  if (letters.length <= most) return text
  return `${letters
    .slice(0, most)
    .join('')
    .replace(/\s+\S{0,20}$/, '')} …`
}
