import { Until, useIsPast } from '../ui/time.tsx'

type NextBuildProps = { at: string | null; words: string; otherwise: string | null }

/**
 * `words`, and how long it is until a host is asked for its next build. `otherwise`: what is said when it is asked at once, as it is unless it
 * was asked just before.
 */
export function NextBuild({ at, words, otherwise }: NextBuildProps) {
  const isDue = useIsPast(at)
  if (at === null || isDue) return otherwise
  return (
    <>
      {words} <Until at={at} />
    </>
  )
}
