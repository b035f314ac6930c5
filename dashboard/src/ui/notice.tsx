import { clsx } from 'clsx'
import { CircleCheck, Info, OctagonAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

type Tone = 'plain' | 'arrived' | 'trying' | 'failed'

const TONES: Record<Tone, { look: string; icon: typeof Info }> = {
  plain: { look: 'bg-well text-quiet', icon: Info },
  arrived: { look: 'bg-arrived-wash text-arrived', icon: CircleCheck },
  trying: { look: 'bg-trying-wash text-trying', icon: TriangleAlert },
  failed: { look: 'bg-failed-wash text-failed', icon: OctagonAlert },
}

type NoticeProps = { tone?: Tone; title?: ReactNode; children?: ReactNode; action?: ReactNode }

/** A notice in the place it is about. Screen readers announce problems when they appear. */
export function Notice({ tone = 'plain', title, children, action }: NoticeProps) {
  const { look, icon: Icon } = TONES[tone]
  return (
    <div role={tone === 'failed' ? 'alert' : undefined} className={clsx('flex gap-2.5 rounded-md px-3 py-2.5', look)}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        {title !== undefined && <p className="font-[620]">{title}</p>}
        {children !== undefined && <div className="text-ink">{children}</div>}
      </div>
      {action}
    </div>
  )
}
