import { describe, expect, it } from 'vitest'
import { allows, nextStanding, type PostAction } from './policy.ts'
import { POST_STATUSES, type PostStatus } from './tables.ts'

const NOW = new Date('2026-11-02T08:00:00Z')
const LATER = new Date('2026-11-03T08:00:00Z')

const standing = (status: PostStatus) => ({
  status,
  scheduledAt: status === 'scheduled' ? LATER : null,
  scheduleZone: status === 'scheduled' ? 'Asia/Tokyo' : null,
  publishedAt: status === 'published' ? NOW : null,
})

/** The write that asks for each action. */
const WRITES: Record<PostAction, { status: PostStatus; scheduledAt?: Date }> = {
  schedule: { status: 'scheduled', scheduledAt: new Date('2026-11-04T08:00:00Z') },
  unschedule: { status: 'draft' },
  publish: { status: 'published' },
  unpublish: { status: 'draft' },
}

describe('what may be done with a post', () => {
  it.each<[PostStatus, PostAction[]]>([
    ['draft', ['schedule', 'publish']],
    ['scheduled', ['schedule', 'unschedule', 'publish']],
    ['published', ['publish', 'unpublish']],
  ])('%s allows %s', (status, actions) => {
    const all: PostAction[] = ['schedule', 'unschedule', 'publish', 'unpublish']
    expect(all.filter((action) => allows(status, action))).toEqual(actions)
    for (const action of actions) {
      expect(nextStanding(standing(status), WRITES[action], NOW).status).toBe(WRITES[action].status)
    }
  })

  it('tells whoever sends back the schedule of a post that it was published meanwhile', () => {
    const send = (scheduledAt: Date) => () =>
      nextStanding(standing('published'), { status: 'scheduled', scheduledAt }, LATER)
    expect(send(NOW)).toThrow(expect.objectContaining({ kind: 'conflict', field: 'status' }))
    expect(send(new Date(NOW.getTime() + 1))).toThrow(expect.objectContaining({ kind: 'invalid', field: 'status' }))
  })

  it('keeps the zone of a schedule as long as there is a schedule', () => {
    expect(nextStanding(standing('scheduled'), WRITES.schedule, NOW).scheduleZone).toBe('Asia/Tokyo')
    expect(nextStanding(standing('scheduled'), { scheduleZone: null }, NOW).scheduleZone).toBeNull()
    expect(nextStanding(standing('scheduled'), { status: 'draft' }, NOW).scheduleZone).toBeNull()
  })

  it('refuses only to schedule what is published', () => {
    const refused = POST_STATUSES.flatMap((from) =>
      POST_STATUSES.filter((status) => {
        try {
          nextStanding(standing(from), status === 'scheduled' ? { status, scheduledAt: LATER } : { status }, NOW)
          return false
        } catch {
          return true
        }
      }).map((to) => `${from} → ${to}`),
    )
    expect(refused).toEqual(['published → scheduled'])
  })
})
