import { clsx } from 'clsx'
import { Bug, CloudOff, MapPinOff, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain, isMissing } from '../api.ts'
import { Button } from './button.tsx'
import { useTitle } from './title.ts'

/** A placeholder of the same size as the content, so that nothing moves when it loads. */
export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={clsx('block animate-breathe rounded-sm bg-line', className)} />
}

type EmptyProps = {
  picture?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Nothing else is on the page, which is named after it. */
  alone?: boolean
}

/** Says why there is nothing here, and what to do about it. */
export function Empty({ picture, title, children, action, alone = false }: EmptyProps) {
  const Heading = alone ? 'h1' : 'h2'
  useTitle(alone ? title : undefined)
  return (
    <div className="grid justify-items-center gap-2 px-6 py-14 text-center">
      {picture !== undefined && <div className="mb-2 text-faint [&_svg]:size-8">{picture}</div>}
      <Heading className="text-lg font-[620]">{title}</Heading>
      {children !== undefined && <div className="max-w-104 text-balance text-quiet">{children}</div>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

type TroubleProps = Omit<EmptyProps, 'action'> & { act: (() => void) | undefined; verb: string }

/** What went wrong, told to screen readers at once, with a button that may help. */
function Trouble({ act, verb, ...what }: TroubleProps) {
  return (
    <div role="alert">
      <Empty
        {...what}
        action={
          act !== undefined && (
            <Button onClick={act} icon={<RotateCw />}>
              {verb}
            </Button>
          )
        }
      />
    </div>
  )
}

/** Says that a screen has failed by a fault of the dashboard. */
export function Fault({ error }: { error: unknown }) {
  return (
    <Trouble
      alone
      picture={<Bug />}
      title="Something went wrong on this page"
      act={() => location.reload()}
      verb="Load the page again"
    >
      What was saved is safe. If loading the page again does not help, tell whoever runs Postrider what you did, and
      this: {String(error)}
    </Trouble>
  )
}

type ProblemProps = { error: unknown; retry?: (() => void) | undefined; alone?: boolean }

/** Says why something could not be shown, and offers a retry where that may help. */
export function Problem({ error, retry, alone = false }: ProblemProps) {
  const { title, detail } = explain(error)
  // What does not exist is not there at the second look either.
  const missing = isMissing(error)
  return (
    <Trouble
      alone={alone}
      picture={missing ? <MapPinOff /> : <CloudOff />}
      title={title}
      act={missing ? undefined : retry}
      verb="Try again"
    >
      {detail}
    </Trouble>
  )
}
