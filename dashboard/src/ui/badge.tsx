import { clsx } from 'clsx'
import type { ReactNode } from 'react'

type Tone = 'plain' | 'arrived' | 'waiting' | 'trying' | 'failed'

const TONES: Record<Tone, string> = {
  plain: 'bg-well text-quiet',
  arrived: 'bg-arrived-wash text-arrived',
  waiting: 'bg-waiting-wash text-waiting',
  trying: 'bg-trying-wash text-trying',
  failed: 'bg-failed-wash text-failed',
}

/** A state in a word. The colour only helps to find it. */
export function Badge({ tone = 'plain', icon, children }: { tone?: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex h-5.5 items-center gap-1 rounded-full px-2 text-xs font-[550] whitespace-nowrap [&_svg]:size-3.5',
        TONES[tone],
      )}
    >
      {icon}
      {children}
    </span>
  )
}
