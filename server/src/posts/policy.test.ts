import { describe, expect, it } from 'vitest'
import { allows, nextPublicationState, POST_STATUSES, type PostAction, type PostStatus } from './policy.ts'

const NOW = new Date('2026-11-02T08:00:00Z')
const LATER = new Date('2026-11-03T08:00:00Z')

const standing = (status: PostStatus) => ({
  status,
  scheduled_at: status === 'scheduled' ? LATER : null,
  schedule_zone: status === 'scheduled' ? 'Asia/Tokyo' : null,
  unpublish_at: null,
  published_at: status === 'published' ? NOW : null,
})

/** The write that asks for each action. */
const WRITES: Record<PostAction, { status: PostStatus; scheduled_at?: Date }> = {
  schedule: { status: 'scheduled', scheduled_at: new Date('2026-11-04T08:00:00Z') },
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
      expect(nextPublicationState(standing(status), WRITES[action], NOW).status).toBe(WRITES[action].status)
    }
  })

  it('tells whoever sends back the schedule of a post that it was published meanwhile', () => {
    const send = (scheduled_at: Date) => () =>
      nextPublicationState(standing('published'), { status: 'scheduled', scheduled_at }, LATER)
    expect(send(NOW)).toThrow(expect.objectContaining({ kind: 'conflict', field: 'status' }))
    expect(send(new Date(NOW.getTime() + 1))).toThrow(expect.objectContaining({ kind: 'invalid', field: 'status' }))
  })

  it('keeps the zone of a schedule as long as there is a schedule', () => {
    expect(nextPublicationState(standing('scheduled'), WRITES.schedule, NOW).schedule_zone).toBe('Asia/Tokyo')
    expect(nextPublicationState(standing('scheduled'), { schedule_zone: null }, NOW).schedule_zone).toBeNull()
    expect(nextPublicationState(standing('scheduled'), { status: 'draft' }, NOW).schedule_zone).toBeNull()
  })

  it('refuses only to schedule what is published', () => {
    const refused = POST_STATUSES.flatMap((from) =>
      POST_STATUSES.filter((status) => {
        try {
          nextPublicationState(
            standing(from),
            status === 'scheduled' ? { status, scheduled_at: LATER } : { status },
            NOW,
          )
          return false
        } catch {
          return true
        }
      }).map((to) => `${from} → ${to}`),
    )
    expect(refused).toEqual(['published → scheduled'])
  })
})
