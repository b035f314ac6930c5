import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { StopMark } from '../../delivery/stops.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Sheet } from '../../ui/page.tsx'
import type { FirstStep, StepName } from './steps.ts'

const WORDS: Record<StepName, { title: string; text: string; go: (kind: 'primary' | 'secondary') => ReactNode }> = {
  connect: {
    title: 'Connect a site',
    text: 'Enter its address and copy the few lines of code that receive your posts there.',
    go: (kind) => (
      <Link to="/sites/new" className={buttonLook({ kind, size: 'sm' })}>
        Connect a site
      </Link>
    ),
  },
  write: {
    title: 'Write a post',
    text: 'It is saved as you write. Nobody else sees it until you publish it.',
    go: (kind) => (
      <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind, size: 'sm' })}>
        Write
      </Link>
    ),
  },
  publish: {
    title: 'Publish it',
    text: 'Now or at a time you choose, to all of your sites or to some of them.',
    go: (kind) => (
      <Link to="/posts" className={buttonLook({ kind, size: 'sm' })}>
        Go to your posts
      </Link>
    ),
  },
  arrive: {
    title: 'See it arrive',
    text: 'Each site confirms that it has the post. If one does not answer, we try again.',
    go: (kind) => (
      <Link to="/deliveries" className={buttonLook({ kind, size: 'sm' })}>
        Watch
      </Link>
    ),
  },
}

/** The way from an empty account to a delivered post, as a line with four stops. */
export function Steps({ steps }: { steps: readonly FirstStep[] }) {
  const next = steps.find(({ done }) => !done)?.name
  return (
    <Sheet title="Get your first post onto a site">
      <ol className="grid gap-y-5 lg:grid-cols-4">
        {steps.map(({ name, done }, place) => {
          const { title, text, go } = WORDS[name]
          return (
            <li
              key={name}
              {...(name === next ? { 'aria-current': 'step' } : {})}
              className="group relative grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 lg:block lg:pr-5"
            >
              <span className="flex h-6 items-center lg:relative lg:mb-2">
                <span
                  aria-hidden="true"
                  className="absolute bg-line max-lg:top-7 max-lg:-bottom-4 max-lg:left-2.5 max-lg:w-px group-last:hidden lg:inset-x-0 lg:-right-5 lg:h-px"
                />
                <span className="relative bg-sheet lg:pr-1.5">
                  {done ? (
                    <StopMark standing="arrived" large />
                  ) : (
                    <span
                      aria-hidden="true"
                      className={clsx(
                        'figures grid size-5 place-items-center rounded-full text-xs font-[620]',
                        name === next ? 'bg-ink text-on-ink' : 'text-faint ring-1 ring-edge ring-inset',
                      )}
                    >
                      {place + 1}
                    </span>
                  )}
                </span>
              </span>
              <div className="min-w-0">
                <h3 className={clsx('font-[620]', !done && name !== next && 'text-quiet')}>
                  {title}
                  {done && <span className="sr-only"> (done)</span>}
                </h3>
                <p className="mt-0.5 text-sm text-faint">{text}</p>
                {name === next && <div className="mt-2.5">{go('primary')}</div>}
              </div>
            </li>
          )
        })}
      </ol>
    </Sheet>
  )
}
