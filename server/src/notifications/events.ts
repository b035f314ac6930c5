/** What people can be told of. What an event carries is kept with its message until that was sent. */

/** What happened, by name. */
export type EventData = {
  /** A site takes no posts: the first delivery has failed, or five attempts in a row. */
  'site.failing': { site: Named; reason: string | null; since: string }
  /** The site takes posts again. `missing`: posts that it still lacks. */
  'site.recovered': { site: Named; missing: number; since: string; until: string }
  /** More deliveries to a failing site have failed since the last message: an hour after the first, then daily. */
  'delivery.failed': { site: Named; failures: number; since: string }
  /** A site accepts posts and does not show them. `posts`: how many, when that was noticed first. */
  'site.not_live': { site: Named; posts: number; reason: string | null; since: string }
  /** The site shows every post that it accepted again. */
  'site.live': { site: Named; since: string; until: string }
  /** A scheduled post was published late, and `others` with it. */
  'post.late': { post: Named; others: number; due_at: string; published_at: string }
  'draft.ready': { job_id: string; topic: string; post: Named }
  'draft.failed': { job_id: string; topic: string; reason: string }
}

/** Something with an id, as people know it. */
export type Named = { id: string; name: string }

export const EVENT_NAMES = [
  'site.failing',
  'site.recovered',
  'delivery.failed',
  'site.not_live',
  'site.live',
  'post.late',
  'draft.ready',
  'draft.failed',
] as const satisfies ReadonlyArray<keyof EventData>
export type EventName = (typeof EVENT_NAMES)[number]

/** An event with what it carries. */
export type NotificationEvent = { [Name in EventName]: { name: Name; data: EventData[Name] } }[EventName]
