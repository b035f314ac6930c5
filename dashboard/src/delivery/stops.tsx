/**
 * The signature of the product: a stop per site. Each standing has its own shape, so that a row of stops is readable without
 * colour, in print and at 14 pixels.
 */
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { counted } from '../format.ts'
import { STANDING_NAMES, type Standing, standingName } from './standing.ts'

const COLOURS: Record<Standing, string> = {
  arrived: 'text-arrived',
  'arrived-late': 'text-arrived',
  building: 'text-waiting',
  'not-live': 'text-failed',
  waiting: 'text-waiting',
  trying: 'text-trying',
  failed: 'text-failed',
  overtaken: 'text-faint',
  paused: 'text-faint',
  absent: 'text-edge',
}

/** The shapes, drawn on 16 by 16 units. */
const SHAPES: Record<Standing, ReactNode> = {
  arrived: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path
        d="m4.8 8.2 2.3 2.3 4.2-4.7"
        fill="none"
        className="stroke-sheet"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  'arrived-late': (
    <>
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path
        d="m5 8.1 2.1 2.1 3.9-4.3"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  building: (
    <>
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" strokeDasharray="2.4 2.4" />
      <circle cx="8" cy="8" r="2.4" fill="currentColor" />
    </>
  ),
  'not-live': (
    <>
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path d="M8 4.6v4" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      <circle cx="8" cy="11.1" r="1.1" fill="currentColor" />
    </>
  ),
  waiting: (
    <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" strokeDasharray="2.4 2.4" />
  ),
  trying: (
    <>
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path d="M8 4a4 4 0 0 1 0 8Z" fill="currentColor" />
    </>
  ),
  failed: (
    <>
      <path d="M8 .6 15.4 8 8 15.4.6 8Z" fill="currentColor" />
      <path
        d="m5.9 5.9 4.2 4.2m0-4.2-4.2 4.2"
        fill="none"
        className="stroke-sheet"
        strokeWidth="1.7"
        strokeLinecap="round"
      />
    </>
  ),
  overtaken: <path d="M2.5 8h11" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />,
  paused: (
    <>
      <circle cx="8" cy="8" r="6.1" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path d="M6.5 5.8v4.4m3-4.4v4.4" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  absent: <circle cx="8" cy="8" r="2.2" fill="currentColor" />,
}

/** The mark of one standing. It is hidden from screen readers, because a word is beside or around it. */
export function StopMark({ standing, large = false }: { standing: Standing; large?: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={clsx(
        'shrink-0',
        large ? 'size-5' : 'size-3.5',
        COLOURS[standing],
        (standing === 'waiting' || standing === 'building') && 'animate-breathe',
      )}
    >
      {SHAPES[standing]}
    </svg>
  )
}

/** A mark with its word; `event`: what the delivery is. */
export function StandingLabel({ standing, event = '' }: { standing: Standing; event?: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <StopMark standing={standing} />
      {standingName(standing, event)}
    </span>
  )
}

/** A site on the way of a post; with `removal`, on its way back. */
export type Stop = { site: string; standing: Standing; removal?: true }

/** More marks cannot be read at a glance; the rest is shown as a number. */
const MOST = 8

/** How a post stands at each site, in a row, always in the order of the sites. */
export function Stops({ stops }: { stops: readonly Stop[] }) {
  if (stops.length === 0) return null
  const shown = stops.length > MOST ? stops.slice(0, MOST - 1) : stops
  return (
    <span role="img" aria-label={summary(stops)} title={details(stops)} className="inline-flex items-center gap-1">
      {shown.map(({ site, standing }, index) => (
        // Two sites may have the same name; their order does not change.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <StopMark key={`${index} ${site}`} standing={standing} />
      ))}
      {shown.length < stops.length && (
        <span className="figures text-xs text-faint">+{stops.length - shown.length}</span>
      )}
    </span>
  )
}

function details(stops: readonly Stop[]): string {
  return stops.map((stop) => `${stop.site}: ${wordOf(stop)}`).join('\n')
}

function wordOf({ standing, removal }: Stop): string {
  return removal ? standingName(standing, 'post.deleted') : STANDING_NAMES[standing]
}

/** `Delivered to 2 of 3 sites. Journal: Failed.` */
function summary(stops: readonly Stop[]): string {
  const shown = stops.filter(({ standing }) => standing !== 'absent')
  const sent = shown.filter(({ removal }) => removal === undefined)
  const arrived = sent.filter(({ standing }) => standing === 'arrived' || standing === 'arrived-late')
  const others = shown.filter((stop) => !arrived.includes(stop)).map((stop) => `${stop.site}: ${wordOf(stop)}.`)
  if (sent.length === 0 && others.length > 0) return others.join(' ')
  return [`Delivered to ${arrived.length} of ${counted(sent.length, 'site')}.`, ...others].join(' ')
}
