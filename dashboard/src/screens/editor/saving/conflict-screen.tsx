/** The post was changed here and elsewhere: shows the differences and asks which to keep. Nothing of either is thrown away. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { diffWordsWithSpace } from 'diff'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, sentence } from '../../../api.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox, Radio } from '../../../ui/choice.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Sheet } from '../../../ui/page.tsx'
import { Problem, Skeleton } from '../../../ui/placeholder.tsx'
import { Ago } from '../../../ui/time.tsx'
import { toast } from '../../../ui/toast.tsx'
import { type WordChange, WordChanges } from '../../../ui/word-changes.tsx'
import { type Draft, draftOf, type Field, labelOf, newPostOf, otherTitle } from '../draft.ts'
import type { Conflict } from './edit-state.ts'
import type { OpenPost } from './open-post.ts'
import { tagOf } from './stored.ts'

type Texts = Record<string, { mine: string; theirs: string }>

/** Replaces the editor until the conflict is decided. */
export function ConflictScreen({ openPost, conflict }: { openPost: OpenPost; conflict: Conflict }) {
  const { stored, theirs, fields, merged } = conflict
  const savedAt = theirs === stored.workingCopy ? stored.workingCopy.saved_at : stored.post.updated_at
  const [taken, setTaken] = useState<readonly Field[]>([])
  const [keepsOther, setKeepsOther] = useState(true)
  const heading = useRef<HTMLHeadingElement>(null)
  // What had the focus is gone with the editor.
  useEffect(() => heading.current?.focus(), [])
  /** Repeated after a lost answer, the other version becomes one draft; chosen otherwise, it is another request. */
  const [attempt] = useState(() => crypto.getRandomValues(new Uint32Array(4)).join('-'))
  const short = fields.filter((field) => field !== 'body').map((field) => merged[field])
  const texts = useQuery({
    queryKey: ['conflict', stored.post.id, tagOf(stored), fields, short],
    queryFn: () => textsOf(conflict),
    gcTime: 0,
  })
  const decide = useMutation({
    async mutationFn() {
      if (keepsOther) {
        const idempotencyKey = [attempt, ...taken].join('.')
        const { title } = await api.posts.create(newPostOf(otherOf(conflict, taken)), { idempotencyKey })
        toast({ text: `The other version was kept as a separate draft: “${title}”.` })
      }
      await openPost.resolve(taken)
    },
  })
  const choose = (field: Field, theirsToo: boolean) =>
    setTaken(fields.filter((one) => (one === field ? theirsToo : taken.includes(one))))

  return (
    <div className="mx-auto grid w-full max-w-page gap-5 px-4 pt-6 pb-24 sm:px-6 lg:px-8 lg:pt-9 lg:pb-16">
      <header className="max-w-(--container-prose)">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-[650] tracking-[-0.015em] text-balance outline-none">
          This post was changed elsewhere
        </h1>
        <p className="mt-1 text-quiet">
          While you were writing, another tab, person or program saved it (<Ago at={savedAt} />
          ). What only one side changed is already merged. Choose what to keep where both changed the same part.
        </p>
      </header>
      {texts.isError && <Problem error={texts.error} retry={() => void texts.refetch()} />}
      {texts.isPending && <Skeleton className="h-64" />}
      {texts.data !== undefined &&
        fields.map((field) => (
          <Sheet key={field} title={labelOf(field)} aside="Struck out: only theirs. Underlined: only yours.">
            <Choice
              field={field}
              texts={texts.data[field] ?? { mine: '', theirs: '' }}
              takesTheirs={taken.includes(field)}
              onChange={(theirsToo) => choose(field, theirsToo)}
            />
          </Sheet>
        ))}
      <div className="grid max-w-(--container-prose) gap-4">
        <Checkbox
          label="Keep what is not chosen as a separate draft"
          hint={`“${otherTitle(merged.title)}”, so that nothing is lost.`}
          checked={keepsOther}
          onChange={({ target }) => setKeepsOther(target.checked)}
        />
        {decide.isError && <Notice tone="failed">{sentence(decide.error)}</Notice>}
        <div>
          <Button kind="primary" busy={decide.isPending} onClick={() => decide.mutate()}>
            Continue with this
          </Button>
        </div>
      </div>
    </div>
  )
}

type ChoiceProps = {
  field: Field
  texts: { mine: string; theirs: string }
  takesTheirs: boolean
  onChange: (takesTheirs: boolean) => void
}

function Choice({ field, texts: { mine, theirs }, takesTheirs, onChange }: ChoiceProps) {
  return (
    <div className="grid gap-4">
      <Differences before={theirs} after={mine} label={`Differences in ${labelOf(field).toLowerCase()}`} />
      <div className="grid gap-3 md:grid-cols-2">
        <Radio
          name={field}
          label="Yours"
          checked={!takesTheirs}
          onChange={() => onChange(false)}
          hint={<Whole text={mine} />}
        />
        <Radio
          name={field}
          label="Theirs"
          checked={takesTheirs}
          onChange={() => onChange(true)}
          hint={<Whole text={theirs} />}
        />
      </div>
    </div>
  )
}

function Whole({ text }: { text: string }) {
  if (text === '') return '(empty)'
  return (
    <span dir="auto" className="block max-h-48 overflow-y-auto whitespace-pre-wrap [unicode-bidi:plaintext]">
      {text}
    </span>
  )
}

/** With more changes than this a comparison is of no use to a reader. It may take long to compute, while which nothing else happens. */
const MOST_CHANGES = { maxEditLength: 4_000, timeout: 300 }

/** The removed and added words. */
function Differences({ before, after, label }: { before: string; after: string; label: string }) {
  const words = useMemo(() => {
    const runs = diffWordsWithSpace(before, after, MOST_CHANGES)
    return runs?.map(({ added, removed, value: text }): WordChange => {
      return { change: added ? 'added' : removed ? 'removed' : 'same', text }
    })
  }, [before, after])
  if (words === undefined) return <p className="text-quiet">The two have too little in common to be compared.</p>
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
      tabIndex={0}
      aria-label={label}
      dir="auto"
      className="max-h-96 overflow-y-auto rounded-md bg-well p-4 font-serif whitespace-pre-wrap [unicode-bidi:plaintext]"
    >
      <WordChanges words={words} />
    </section>
  )
}

async function textsOf({ theirs, fields, merged }: Conflict): Promise<Texts> {
  const entries = fields.map(async (field) => {
    if (field !== 'body') return [field, { mine: plain(merged[field]), theirs: plain(draftOf(theirs)[field]) }] as const
    const { form, value } = merged.body
    const mine = form === 'markdown' ? value : (await api.posts.convert({ [form]: value })).markdown
    return [field, { mine, theirs: theirs.body.markdown }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function plain(value: Draft[Exclude<Field, 'body'>]): string {
  return typeof value === 'string' ? value : value.join(', ')
}

/** The draft with everything that was not chosen. */
function otherOf({ theirs, fields, merged }: Conflict, taken: readonly Field[]): Draft {
  const theirDraft = draftOf(theirs)
  const left = fields.map((field) => [field, taken.includes(field) ? merged[field] : theirDraft[field]])
  const other: Draft = { ...merged, ...Object.fromEntries(left) }
  return { ...other, slug: '', title: otherTitle(other.title) }
}
