/**
 * Values over time, in the page's own colours. The drawing is stretched to its place, so it needs no measuring and causes no
 * layout shift; lines keep their width. It works like a slider: the pointer or the arrow keys choose a unit, and the legend
 * shows its values. The same values are available as a table.
 */
import { clsx } from 'clsx'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { Table, Td, Th } from './table.tsx'

type Tone = 'arrived' | 'waiting' | 'trying' | 'failed' | 'plain'

/** A value per unit; null where nothing was measured. */
export type Series = { name: string; tone: Tone; values: readonly (number | null)[] }

type ChartProps = {
  /** What the chart shows, for screen readers, and the name of its table. */
  label: string
  /** The units in order. `name` is the full name, `short` fits below the drawing. */
  units: readonly { name: string; short: string }[]
  /** The bars, stacked, the first one lowest. */
  bars?: readonly Series[]
  lines?: readonly Series[]
  format: (value: number | null) => string
  /** The end of the scale, when it does not follow from the values. */
  top?: number
  /** Low, without scale and table: for places where the chart is only a hint. */
  compact?: boolean
}

const FILLS: Record<Tone, string> = {
  arrived: 'fill-arrived',
  waiting: 'fill-waiting',
  trying: 'fill-trying',
  failed: 'fill-failed',
  plain: 'fill-ink',
}
const STROKES: Record<Tone, string> = {
  arrived: 'stroke-arrived',
  waiting: 'stroke-waiting',
  trying: 'stroke-trying',
  failed: 'stroke-failed',
  plain: 'stroke-ink',
}

/** The drawing's height in its own units; it is stretched to its place. */
const HEIGHT = 100
/** Where a bar begins in its unit, and its width. */
const BAR_FROM = 0.14
const BAR_WIDTH = 0.72
const MOST_LABELS = 7

/** Bars, lines, or both over the same units. */
export function Chart({ label, units, bars = [], lines = [], format, top, compact = false }: ChartProps) {
  const [chosen, setChosen] = useState<number>()
  const all = [...bars, ...lines]
  const last = units.length - 1
  const scale = top ?? niceTop(mostOf(bars, lines, units.length))
  const at = chosen === undefined ? undefined : Math.min(chosen, last)
  const unit = at === undefined ? undefined : units[at]

  const point = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * units.length))))
  }
  const move = (event: KeyboardEvent) => {
    const to = nextOf(event.key, at, last)
    if (to === undefined) return
    event.preventDefault()
    setChosen(to)
  }
  return (
    <figure className="grid gap-3">
      <figcaption className="flex min-h-11 flex-wrap content-start items-baseline gap-x-4 gap-y-1 text-sm text-quiet sm:min-h-5">
        {all.map((series) => (
          <span key={series.name} className="inline-flex items-center gap-1.5">
            <Swatch series={series} bar={bars.includes(series)} />
            {series.name}
            {at !== undefined && <b className="figures font-[620] text-ink">{format(series.values[at] ?? null)}</b>}
          </span>
        ))}
        <span className="figures ml-auto text-faint">{unit?.name ?? ''}</span>
      </figcaption>
      <div className={clsx('grid gap-x-2', compact ? 'grid-cols-1' : 'grid-cols-[auto_1fr]')}>
        {!compact && <Scale top={scale} format={format} />}
        <div
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={at ?? last}
          aria-valuetext={readingOf(units, all, at ?? last, format)}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setChosen(undefined)}
          onBlur={() => setChosen(undefined)}
          onKeyDown={move}
          className={clsx('relative touch-pan-y rounded-sm', compact ? 'h-16' : 'h-48')}
        >
          <svg
            viewBox={`0 0 ${Math.max(1, units.length)} ${HEIGHT}`}
            preserveAspectRatio="none"
            aria-hidden="true"
            className="absolute inset-0 size-full overflow-visible"
          >
            {[0, 0.5, 1].map((part) => (
              <path
                key={part}
                d={`M0 ${HEIGHT * part}H${units.length}`}
                vectorEffect="non-scaling-stroke"
                className={part === 1 ? 'stroke-edge' : compact ? 'stroke-none' : 'stroke-line'}
              />
            ))}
            {at !== undefined && <rect x={at} y={0} width={1} height={HEIGHT} className="fill-hover" />}
            {stack(bars, units.length).map(({ index, from, to, tone }) => (
              <rect
                key={`${index} ${tone}`}
                x={index + BAR_FROM}
                width={BAR_WIDTH}
                y={HEIGHT * (1 - to / scale)}
                height={(HEIGHT * (to - from)) / scale}
                vectorEffect="non-scaling-stroke"
                className={clsx('stroke-sheet', FILLS[tone])}
              />
            ))}
            {lines.map((series) => (
              <path
                key={series.name}
                d={pathOf(series.values, scale)}
                fill="none"
                strokeWidth={2}
                strokeLinecap="round"
                strokeLinejoin="round"
                vectorEffect="non-scaling-stroke"
                className={STROKES[series.tone]}
              />
            ))}
          </svg>
        </div>
        {!compact && <Labels units={units} />}
      </div>
      {!compact && <Numbers label={label} units={units} series={all} format={format} />}
    </figure>
  )
}

function Swatch({ series: { tone }, bar }: { series: Series; bar: boolean }) {
  return (
    <svg viewBox="0 0 12 12" aria-hidden="true" className="size-3 shrink-0">
      {bar ? (
        <rect x="1" y="1" width="10" height="10" rx="2" className={FILLS[tone]} />
      ) : (
        <path d="M1 6h10" strokeWidth="2.5" strokeLinecap="round" className={STROKES[tone]} />
      )}
    </svg>
  )
}

function Scale({ top, format }: { top: number; format: (value: number) => string }) {
  const half = top / 2
  return (
    <div aria-hidden="true" className="figures relative h-48 text-right text-xs text-faint">
      {/* Wide enough for every mark, and as high as the drawing. */}
      <span className="invisible block h-0 overflow-hidden">{format(top)}</span>
      <span className="absolute top-0 right-0 -translate-y-1/2 whitespace-nowrap">{format(top)}</span>
      {(Number.isInteger(half) || top > 20) && (
        <span className="absolute top-1/2 right-0 -translate-y-1/2 whitespace-nowrap">{format(half)}</span>
      )}
      <span className="absolute right-0 bottom-0 translate-y-1/2 whitespace-nowrap">{format(0)}</span>
    </div>
  )
}

function Labels({ units }: { units: readonly { short: string }[] }) {
  const step = Math.max(1, Math.ceil(units.length / MOST_LABELS))
  // Counted from the end, so that the latest unit always has its name.
  const shown = units.flatMap(({ short }, index) =>
    (units.length - 1 - index) % step === 0 ? [{ short, index, nth: (units.length - 1 - index) / step }] : [],
  )
  return (
    <div aria-hidden="true" className="relative col-start-2 mt-1.5 h-4 text-xs text-faint">
      {shown.map(({ short, index, nth }) => (
        <span
          key={index}
          className={clsx('figures absolute -translate-x-1/2 whitespace-nowrap', nth % 2 === 1 && 'max-sm:hidden')}
          style={{ left: `${((index + 0.5) / units.length) * 100}%` }}
        >
          {short}
        </span>
      ))}
    </div>
  )
}

type NumbersProps = Pick<ChartProps, 'label' | 'units' | 'format'> & { series: readonly Series[] }

function Numbers({ label, units, series, format }: NumbersProps) {
  const name = `${label}, as a table`
  return (
    <details className="text-sm">
      <summary className="w-fit rounded-sm text-faint hover:text-ink">As a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section tabIndex={0} aria-label={name} className="mt-2 max-h-80 overflow-y-auto rounded-md ring-1 ring-line">
        <Table label={label}>
          <thead>
            <tr>
              <Th grow>Time</Th>
              {series.map(({ name }) => (
                <Th key={name} numeric>
                  {name}
                </Th>
              ))}
            </tr>
          </thead>
          <tbody>
            {units.map(({ name }, index) => (
              <tr key={name}>
                <Td grow>{name}</Td>
                {series.map((one) => (
                  <Td key={one.name} numeric>
                    {format(one.values[index] ?? null)}
                  </Td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </section>
    </details>
  )
}

function nextOf(key: string, at: number | undefined, last: number): number | undefined {
  const from = at ?? last + 1
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, from - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at === undefined ? 0 : at + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** `1 Nov: Delivered 4, Failed 1`. */
function readingOf(
  units: ChartProps['units'],
  series: readonly Series[],
  at: number,
  format: ChartProps['format'],
): string {
  const values = series.map(({ name, values }) => `${name} ${format(values[at] ?? null)}`)
  return `${units[at]?.name ?? ''}: ${values.join(', ')}`
}

function mostOf(bars: readonly Series[], lines: readonly Series[], count: number): number {
  const heights = Array.from({ length: count }, (_, index) =>
    bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  )
  return Math.max(0, ...heights, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
}

/** The next round number for the end of a scale. */
export function niceTop(most: number): number {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 2, 3, 4, 6, 8, 10].find((one) => one * power >= most) ?? 10
  return step * power
}

function stack(bars: readonly Series[], count: number) {
  return Array.from({ length: count }, (_, index) => {
    let from = 0
    return bars.flatMap(({ tone, values }) => {
      const value = values[index] ?? 0
      if (value === 0) return []
      const piece = { index, tone, from, to: from + value }
      from += value
      return [piece]
    })
  }).flat()
}

/** A line's path, broken where nothing was measured. A point without neighbours is a line as wide as a bar, or it could not be seen. */
export function pathOf(values: readonly (number | null)[], top: number): string {
  const isMeasured = (index: number) => (values[index] ?? null) !== null
  return values
    .map((value, index) => {
      if (value === null) return ''
      const y = (HEIGHT * (1 - value / top)).toFixed(2)
      if (isMeasured(index - 1)) return `L${index + 0.5} ${y}`
      if (isMeasured(index + 1)) return `M${index + 0.5} ${y}`
      return `M${index + BAR_FROM} ${y}h${BAR_WIDTH}`
    })
    .join('')
}
