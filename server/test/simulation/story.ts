/** What happens in a simulation, drawn from a seed: its processes, sites and posts, what is done, and what goes wrong. */
import { stream } from './agenda.ts'
import { LEASE_MS } from './world.ts'

/** How a receiver behaves for a while. `mixed`: for each request one of the others, by chance. */
export type Weather = 'ok' | 'slow' | 'error' | 'hang' | 'reset' | 'refuse' | 'acknowledge and crash' | 'mixed'

/** One thing that happens. Posts and sites are numbered; a step about one that does not exist then is skipped. */
export type Deed =
  | { what: 'create post' | 'update post' | 'unpublish' | 'delete post' | 'publish' | 'retry'; post: number }
  | { what: 'publish to one'; post: number; site: number }
  | { what: 'schedule'; post: number; inMs: number }
  | Aim
  | { what: 'pause' | 'resume' | 'rotate' | 'delete site' | 'add site'; site: number }
  | { what: 'confirm'; post: number; site: number }
  | Debounce
  | { what: 'crash' | 'restart'; worker: number }
  | { what: 'stop' | 'cut off'; worker: number; forMs: number }
  | { what: 'jump'; byMs: number }
  | { what: 'weather'; site: number; weather: Weather }

/** A site becomes a build hook that is debounced, or its debounce changes; null: it gets webhooks again. */
type Debounce = { what: 'debounce'; site: number; seconds: number | null }

/** A post is for these sites from now on; null: for all. */
type Aim = { what: 'aim'; post: number; sites: number[] | null }

export type Step = { at: number } & Deed

/** `embedded`: one process, embedded database; `together`: some that do everything, on a server; `apart`: one answers, others deliver. */
export type Layout = 'embedded' | 'together' | 'apart'

/**
 * The limits on attempts and lanes: those of the service, too few of both, many lanes for few attempts, or memory for one content
 * at a time.
 */
export type Room = 'plenty' | 'tight' | 'crowded' | 'narrow'

export type Story = {
  seed: number
  /** Nothing breaks on our side. */
  calm: boolean
  layout: Layout
  workers: number
  sites: number
  room: Room
  /** The sites that are build hooks from the start. */
  hooks: Debounce[]
  /** The sites that recover by themselves. */
  recovering: number[]
  /** Probabilities per statement and attempt. */
  strikes: { crash: number; loss: number }
  /** The share of NOTIFYs that other processes do not hear. */
  deaf: number
  /** How far each machine's clock is off, in whole milliseconds: first the front's, then those of the workers; empty if all agree. */
  skews: number[]
  steps: Step[]
}

const BAD_WEATHER: readonly Weather[] = ['slow', 'error', 'hang', 'reset', 'refuse', 'mixed', 'mixed']

/**
 * In half of the stories that can have it, the others are cut off from the database just before a worker dies, and several posts wait
 * for slow sites.
 */
function failover(
  random: () => number,
  { workers, sites, posts, lengthMs }: { workers: number; sites: number; posts: number; lengthMs: number },
): Step[] {
  if (random() < 0.5) return []
  const below = (count: number) => Math.floor(random() * count)
  const at = 1_000 + random() * lengthMs
  const dies = below(workers)
  const others = Array.from({ length: workers }, (_, worker) => worker).filter((worker) => worker !== dies)
  return [
    ...Array.from({ length: sites }, (_, site): Step => ({ at: at - 900, what: 'weather', site, weather: 'slow' })),
    ...Array.from({ length: posts }, (_, post): Step => ({ at: at - 900, what: 'create post', post })),
    ...Array.from({ length: 4 }, (): Step => ({ at: at - random() * 500, what: 'update post', post: below(posts) })),
    ...others.map((worker): Step => ({ at, what: 'cut off', worker, forMs: random() * 12_000 })),
    { at: at + random() * 300, what: 'crash', worker: dies },
    { at: at + random() * 4_000, what: 'update post', post: below(posts) },
  ]
}

/** Shorter than the shortest that owners may set, so that in short stories one passes while deliveries wait for a retry. */
const DEBOUNCES = [1, 1, 2, 3, 10]

/** In a third of the stories some sites are build hooks, and some of these change. */
function buildHooks(random: () => number, sites: number, lengthMs: number): { hooks: Debounce[]; steps: Step[] } {
  if (random() > 0.33) return { hooks: [], steps: [] }
  const debounce = (site: number, isHook: boolean): Debounce => {
    const seconds = isHook ? (DEBOUNCES[Math.floor(random() * DEBOUNCES.length)] ?? 1) : null
    return { what: 'debounce', site, seconds }
  }
  const hooks = Array.from({ length: sites }, (_, site) => debounce(site, site === 0 || random() < 0.5))
  const changes = Math.floor(random() ** 2 * 4)
  return {
    hooks: hooks.filter(({ seconds }) => seconds !== null),
    steps: Array.from({ length: changes }, () => {
      const site = Math.floor(random() * sites)
      return { at: random() * lengthMs, ...debounce(site, random() < 0.6) }
    }),
  }
}

/** More posts than are sent one by one when a site recovers (`RECOVERY_PACE`). */
const POSTS_OF_AN_OUTAGE = 6

/** In a third of the stories some sites recover by themselves, and one is down for longer than its deliveries are repeated. Often it is again soon after. */
function outage(random: () => number, sites: number, lengthMs: number): { recovering: number[]; steps: Step[] } {
  if (random() > 0.33) return { recovering: [], steps: [] }
  const site = Math.floor(random() * sites)
  const recovering = Array.from({ length: sites }, (_, other) => other).filter(
    (other) => other === site || random() < 0.5,
  )
  const at = random() * lengthMs * 0.5
  const back = at + 6_000 + random() * 4_000
  const weather = (when: number, what: Weather): Step => ({ at: when, what: 'weather', site, weather: what })
  const isBrief = random() < 0.5
  const again = back + random() * 5_000
  return {
    recovering,
    steps: [
      weather(at, random() < 0.5 ? 'error' : 'refuse'),
      ...Array.from(
        { length: POSTS_OF_AN_OUTAGE },
        (_, post): Step => ({ at: at + 100 + random() * 1_500, what: 'create post', post }),
      ),
      weather(back, 'ok'),
      ...(isBrief ? [weather(again, 'error'), weather(again + 1_000 + random() * 3_000, 'ok')] : []),
      { at: back + random() * 6_000, what: 'update post', post: Math.floor(random() * POSTS_OF_AN_OUTAGE) },
    ],
  }
}

/** In a third of the stories posts are for some sites, and for others later. */
function audiences(
  random: () => number,
  { sites, posts, lengthMs }: { sites: number; posts: number; lengthMs: number },
): Step[] {
  if (random() > 0.33) return []
  const some = () => Array.from({ length: sites }, (_, site) => site).filter(() => random() < 0.5)
  return Array.from({ length: 1 + Math.floor(random() * 4) }, (): Step => {
    const post = Math.floor(random() * posts)
    return { at: random() * lengthMs, what: 'aim', post, sites: random() < 0.2 ? null : some() }
  })
}

/** The story of a seed. Every third is calm: nothing breaks on our side, so that the strictest promises can be checked. */
export function tell(seed: number): Story {
  const random = stream(seed, 'story')
  const below = (count: number) => Math.floor(random() * count)
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T // the lists here are not empty
  const calm = seed % 3 === 0
  const layout = one<Layout>(['embedded', 'embedded', 'together', 'apart', 'apart'])
  const workers = layout === 'embedded' ? 1 : 1 + below(3)
  const room = one<Room>(['plenty', 'plenty', 'plenty', 'tight', 'tight', 'crowded', 'narrow'])
  const isCrowded = room === 'crowded'
  const sites = isCrowded ? 4 + below(5) : 1 + below(4)
  const posts = isCrowded ? 3 + below(3) : 1 + below(3)
  const lengthMs = isCrowded ? 2_000 + random() * 4_000 : 3_000 + random() * 15_000
  const steps: Step[] = [
    { at: random() * 50, what: random() < 0.8 ? 'create post' : 'publish', post: 0 },
    ...Array.from({ length: 4 + below(11) }, (): Step => ({ at: random() * lengthMs, ...deed() })),
  ]
  for (let site = 0; site < sites; site += 1) {
    if (random() < 0.6) steps.push({ at: random() * 200, what: 'weather', site, weather: bad() })
    for (let changes = below(3); changes > 0; changes -= 1)
      steps.push({ at: random() * lengthMs, what: 'weather', site, weather: random() < 0.5 ? 'ok' : bad() })
  }
  if (!calm)
    for (let trouble = below(4); trouble > 0; trouble -= 1) {
      const step = { at: random() * lengthMs, ...accident() }
      steps.push(step)
      if (step.what === 'stop' && step.forMs > LEASE_MS && workers > 1) steps.push(...around(step.at + step.forMs))
    }
  if (!calm && layout !== 'embedded' && workers > 1)
    steps.push(...failover(stream(seed, 'failover'), { workers, sites, posts, lengthMs }))

  const { hooks, steps: changes } = buildHooks(stream(seed, 'build hooks'), sites, lengthMs)
  steps.push(...changes)
  const { recovering, steps: down } = outage(stream(seed, 'outage'), sites, lengthMs)
  steps.push(...down)
  steps.push(...audiences(stream(seed, 'audiences'), { sites, posts, lengthMs }))

  function bad(): Weather {
    return !calm && random() < 0.25 ? 'acknowledge and crash' : one(BAD_WEATHER)
  }

  function deed(): Deed {
    const [post, site] = [below(posts), below(sites)]
    const drawn = random()
    if (drawn < 0.24) return { what: 'create post', post }
    if (drawn < 0.5) return { what: 'update post', post }
    if (drawn < 0.6) return { what: 'schedule', post, inMs: 200 + random() * 4_000 }
    if (drawn < 0.66) return { what: random() < 0.5 ? 'publish' : 'publish to one', post, site }
    if (drawn < 0.7) return { what: 'unpublish', post }
    if (drawn < 0.73) return { what: 'delete post', post }
    if (drawn < 0.79) return { what: 'confirm', post, site }
    if (drawn < 0.86) return { what: 'retry', post }
    if (drawn < 0.95) return { what: one(['pause', 'resume', 'rotate'] as const), site }
    return { what: one(['delete site', 'add site'] as const), site }
  }

  function accident(): Deed {
    const worker = below(3)
    const drawn = random()
    if (drawn < 0.4) return { what: 'crash', worker }
    if (drawn < 0.5) return { what: 'restart', worker }
    if (drawn < 0.85)
      return { what: 'stop', worker, forMs: random() < 0.25 ? random() * 3_000 : LEASE_MS + random() * 8_000 }
    return { what: 'jump', byMs: (random() < 0.7 ? 1 : -1) * random() ** 2 * 60_000 }
  }

  /** Steps around the moment when a stopped process that has lost its leases goes on, while others work on its lanes. */
  function around(at: number): Step[] {
    return [
      { at: at - random() * 9_000, what: 'weather', site: below(sites), weather: bad() },
      { at: at - random() * 4_000, what: 'update post', post: below(posts) },
      { at: at + random() * 1_000, ...deed() },
    ]
  }

  return {
    seed,
    calm,
    layout,
    workers,
    sites,
    room,
    hooks,
    recovering,
    strikes: calm
      ? { crash: 0, loss: 0 }
      : { crash: random() < 0.5 ? random() * 0.02 : 0, loss: random() < 0.4 ? random() * 0.05 : 0 },
    deaf: !calm && random() < 0.3 ? 0.5 : 0,
    steps: steps.sort((a, b) => a.at - b.at),
    skews:
      !calm && layout !== 'embedded' && random() < 0.3
        ? Array.from({ length: 1 + workers }, () => Math.floor((random() < 0.5 ? 1 : -1) * random() ** 2 * 30_000))
        : [],
  }
}
