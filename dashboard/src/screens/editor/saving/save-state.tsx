import { clsx } from 'clsx'
import { Check, CloudOff, PenLine, TriangleAlert } from 'lucide-react'
import { timeOrDay } from '../../../format.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import type { View } from './edit-state.ts'

/** Whether the text is saved, in one line that is always shown. */
export function SaveState({ view, isPublished }: { view: View; isPublished: boolean }) {
  const { icon, text, bad } = stateOf(view, isPublished)
  return (
    <p
      // Only problems interrupt a screen reader: the text is saved every few seconds.
      role={bad ? 'alert' : undefined}
      className={clsx('flex min-w-0 items-center gap-1.5 text-sm [&_svg]:size-4', bad ? 'text-failed' : 'text-faint')}
    >
      {icon}
      <span className="line-clamp-2">{text}</span>
    </p>
  )
}

function stateOf({ post, workingCopy, dirty, saving, savedAt, problem, kept, conflict }: View, isPublished: boolean) {
  const lost = kept ? '' : ' This browser could not keep a copy: leave the page open.'
  const bad = (text: string) => ({ icon: <TriangleAlert className="shrink-0" />, text: text + lost, bad: true })
  if (conflict !== undefined) return bad('Not saved: it was changed elsewhere')
  if (saving) return { icon: <Spinner />, text: 'Saving…', bad: false }
  if (problem?.kind === 'offline')
    return kept
      ? { icon: <CloudOff className="shrink-0" />, text: 'Offline, kept in this browser', bad: true }
      : bad('Offline, not saved.')
  if (problem?.kind === 'signed-out' && kept)
    return { icon: <CloudOff className="shrink-0" />, text: 'Signed out, kept in this browser', bad: true }
  if (problem !== undefined && !(problem.kind === 'untitled' && post === undefined))
    return bad(`${dirty ? 'Not saved' : 'Not sent'}: ${problem.text}`)
  if (dirty && !kept) return bad('Not saved.')
  if (problem?.kind === 'untitled')
    return { icon: <PenLine className="shrink-0" />, text: 'Kept in this browser until it has a title', bad: false }
  if (dirty) return { icon: <Spinner />, text: 'Saving…', bad: false }
  if (savedAt === undefined) return { icon: null, text: 'Nothing written yet', bad: false }
  const saved = `Saved ${timeOrDay(savedAt, Date.now())}`
  if (isPublished && workingCopy !== undefined)
    return { icon: <PenLine className="shrink-0" />, text: `${saved}, not on your sites yet`, bad: false }
  return { icon: <Check className="shrink-0" />, text: saved, bad: false }
}
