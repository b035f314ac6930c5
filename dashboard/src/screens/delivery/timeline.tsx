import type { DeliveryDetails } from '@postrider/sdk'
import { troubleshoot } from '@postrider/server/deliveries/troubleshooting'
import type { ReactNode } from 'react'
import { CheckAgain } from '../../delivery/check-again.tsx'
import { EVENT_NAMES } from '../../delivery/events.ts'
import { NextBuild } from '../../delivery/next-build.tsx'
import { reasonOf } from '../../delivery/reason.ts'
import type { Standing } from '../../delivery/standing.ts'
import { StopMark } from '../../delivery/stops.tsx'
import { clock, counted, duration } from '../../format.ts'
import { Code } from '../../ui/copy.tsx'
import { Ago, Until, useIsPast } from '../../ui/time.tsx'

type Attempt = DeliveryDetails['history'][number]

/** Every attempt, oldest first. A success at the first attempt has no history, so its attempt is made from the delivery. */
function attemptsOf({ history, status, attempts, finished_at: at, ...delivery }: DeliveryDetails): Attempt[] {
  if (history.length > 0 || attempts === 0 || status !== 'delivered' || at === null) return history
  const { response_code: code, response_time_ms: tookMs } = delivery
  return [{ attempt: 1, at, code, error: null, took_ms: tookMs, response: null }]
}

type TimelineProps = { delivery: DeliveryDetails; standing: Standing; isBuilt: boolean; children: ReactNode }

/** What happened, attempt by attempt, and what comes next. `isBuilt`: a host builds the site; `children`: what follows the acceptance. */
export function Timeline({ delivery, standing, isBuilt, children }: TimelineProps) {
  const attempts = attemptsOf(delivery)
  const last = attempts.at(-1)
  const isOpen = delivery.status === 'pending' || delivery.can_retry
  return (
    <ol className="grid">
      <Step mark="absent" at={delivery.created_at} title={`${EVENT_NAMES[delivery.event]} queued`} />
      {attempts.map((one) => (
        <Step
          key={one.attempt}
          mark={one.error !== null ? 'failed' : delivery.status === 'delivered' ? 'arrived' : 'arrived-late'}
          at={one.at}
          title={
            <>
              Attempt {one.attempt}: {one.error === null ? `Answered ${one.code}` : reasonOf(one.code, one.error)}
              {one.took_ms !== null && <span className="figures text-faint"> · {duration(one.took_ms)}</span>}
            </>
          }
        >
          {one.error !== null && one === last && isOpen && (
            <p className="text-quiet">{troubleshoot({ code: one.code, error: one.error })}</p>
          )}
          {one.response !== null && one.response !== '' && (
            <Code label="Start of the site’s response" text={one.response} />
          )}
        </Step>
      ))}
      <Now
        delivery={delivery}
        standing={standing}
        isBuilt={isBuilt}
        confirmed={last === undefined || last.error !== null}
      />
      {children}
    </ol>
  )
}

type NowProps = { delivery: DeliveryDetails; standing: Standing; isBuilt: boolean; confirmed: boolean }

/** The current standing; nothing when the last attempt already shows it. `confirmed`: it arrived, but no attempt shows that. */
function Now({ delivery, standing, isBuilt, confirmed }: NowProps) {
  const { attempts, finished_at: at, last_error: error, next_attempt_at: next } = delivery
  switch (standing) {
    case 'waiting':
      return (
        <Step
          mark={standing}
          title={
            isBuilt ? <NextBuild at={next} words="Waits for the next build, in" otherwise={UNDER_WAY} /> : UNDER_WAY
          }
        />
      )
    case 'trying':
      return <Step mark={standing} title={<Next at={next} attempt={attempts + 1} />} />
    case 'paused':
      return <Step mark={standing} title="Waiting until the site is active again" />
    case 'failed':
      return (
        <Step mark="overtaken" at={at} title={error === 'site_deleted' ? reasonOf(null, error) : endOf(attempts)} />
      )
    case 'overtaken':
      return <Step mark={standing} at={at} title="A newer version replaced it, so it will not be sent" />
    default:
      return confirmed ? <Step mark="arrived" at={at} title={confirmationOf(delivery)} /> : null
  }
}

type LiveStepProps = { delivery: DeliveryDetails; isLooked: boolean; isBuilt: boolean }

/**
 * The last step of what a site has accepted: whether the page shows it. `isLooked`: the site wants that to be found out; `isBuilt`: its host
 * builds it first.
 */
export function LiveStep({ delivery, isLooked, isBuilt }: LiveStepProps) {
  const { state, checked_at: at, problem } = delivery.live
  const words = LIVE_WORDS[delivery.event === 'post.deleted' ? 'removal' : 'post']
  const again = isLooked && !delivery.post_deleted && (
    <div>
      <CheckAgain
        site={{ id: delivery.site_id, name: delivery.site_name }}
        post={{ id: delivery.post_id, title: delivery.post_title }}
      />
    </div>
  )
  if (state === 'verified')
    return (
      <Step mark="arrived" at={at} title={words.verified}>
        {again}
      </Step>
    )
  if (state === 'wrong' || state === 'gone')
    return (
      <Step mark="not-live" at={at} title={words.wrong}>
        <p className="text-quiet">{problem}</p>
        {again}
      </Step>
    )
  if (problem !== null)
    return (
      <Step mark="absent" at={at} title="Nobody can look whether it is live">
        <p className="text-quiet">{problem}</p>
      </Step>
    )
  if (!isLooked) return null
  return (
    <Step
      mark={isBuilt ? 'building' : 'waiting'}
      title={isBuilt ? `The host is building. ${words.looking}` : words.looking}
    />
  )
}

const LIVE_WORDS = {
  post: {
    verified: 'Live: the page shows the post',
    wrong: 'Accepted, but not live',
    looking: 'Looking whether the page shows it',
  },
  removal: {
    verified: 'Gone: the page does not show the post any more',
    wrong: 'Accepted, but still there',
    looking: 'Looking whether the page is gone',
  },
}

function confirmationOf({ event }: DeliveryDetails): string {
  return event === 'post.deleted' ? 'The site confirmed the removal' : 'The site confirmed that it has the post'
}

/** How a failed delivery ended. A site that pulls is sent nothing; it can only report the result. */
function endOf(attempts: number): string {
  return attempts === 0 ? 'The site fetched it but reported a failure' : `Gave up after ${counted(attempts, 'attempt')}`
}

const UNDER_WAY = 'The first attempt is under way'

function Next({ at, attempt }: { at: string | null; attempt: number }) {
  const isDue = useIsPast(at)
  if (at === null || isDue) return `Attempt ${attempt} is under way`
  return (
    <>
      Attempt {attempt} in <Until at={at} />
    </>
  )
}

type StepProps = { mark: Standing; at?: string | null; title: ReactNode; children?: ReactNode }

function Step({ mark, at, title, children }: StepProps) {
  return (
    <li className="group relative grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 pb-5 last:pb-0">
      <span className="absolute top-3 bottom-0 left-2.5 w-px bg-line group-last:hidden" aria-hidden="true" />
      <span className="relative h-fit bg-sheet py-0.5">
        <StopMark standing={mark} large />
      </span>
      <div className="grid min-w-0 grid-cols-1 gap-2">
        <div className="flex flex-wrap justify-between gap-x-4">
          <p className="font-[550]">{title}</p>
          {at != null && (
            <p className="text-sm text-faint" title={clock(at)}>
              <Ago at={at} />
            </p>
          )}
        </div>
        {children}
      </div>
    </li>
  )
}
