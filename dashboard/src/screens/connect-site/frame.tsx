import type { Site } from '@postrider/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { StopMark } from '../../delivery/stops.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'

const STEPS = ['The site', 'The receiver', 'The test']

/** The frame around the steps. `at`: the next step, counted from 1. Code needs more room than fields do. */
export function Frame({ at, lead, children }: { at: number; lead?: string; children: ReactNode }) {
  return (
    <Page title="Connect a site" narrow={at === 1} {...(lead === undefined ? {} : { lead })}>
      <ol className="grid grid-cols-3" aria-label="Steps">
        {STEPS.map((step, index) => {
          const isDone = index + 1 < at
          return (
            <li key={step} className="group relative min-w-0 pr-3" aria-current={index + 1 === at ? 'step' : undefined}>
              <span className="relative mb-1.5 flex h-5 items-center">
                <span className="absolute inset-x-0 -right-3 h-px bg-line group-last:hidden" aria-hidden="true" />
                <span className="relative bg-paper pr-1.5">
                  {index + 1 === at ? <Here /> : <StopMark standing={isDone ? 'arrived' : 'absent'} large />}
                </span>
              </span>
              <span className="clip block text-sm text-quiet group-aria-[current=step]:font-[620] group-aria-[current=step]:text-ink">
                {step}
                {isDone && <span className="sr-only"> (done)</span>}
              </span>
            </li>
          )
        })}
      </ol>
      {children}
    </Page>
  )
}

/** The ways on from the last step. `works`: posts arrive there. */
export function Onward({ siteId, works }: { siteId: string; works: boolean }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Link to="/sites/$siteId" params={{ siteId }} className={buttonLook({ kind: works ? 'secondary' : 'quiet' })}>
        {works ? 'Go to its settings' : 'Do this later'}
      </Link>
      {works && (
        <Link to="/posts/$postId" params={{ postId: 'new' }} className={buttonLook({ kind: 'primary' })}>
          Write a post
        </Link>
      )}
    </div>
  )
}

/** Whether a post has arrived, or a test of which the site said that it keeps posts: anything may answer 200. */
export function hasWorked({ kind, last_test: test, delivery_stats: { last_delivery: last } }: Site): boolean {
  return (test?.ok === true && (test.store !== null || kind === 'build_hook')) || last !== null
}

/** The mark of the current step. Unlike the mark of a post on its way, it does not move. */
function Here() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className="size-5 shrink-0 text-ink">
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <circle cx="8" cy="8" r="2.8" className="fill-horn" />
    </svg>
  )
}
