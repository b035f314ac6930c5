import { describe, expect, it } from 'vitest'
import { type Audience, audienceOf, audienceOncePublished, wantedAudience } from './audience.ts'

const DRAFT = { status: 'draft', visible_to_all: false, sites_chosen: false } as const
const CHOSEN = { ...DRAFT, sites_chosen: true }
const FOR_ALL = { status: 'published', visible_to_all: true, sites_chosen: false } as const
const FOR_NAMED = { ...FOR_ALL, visible_to_all: false }
const FOR_CHOSEN = { ...FOR_NAMED, sites_chosen: true }

describe('the audience', () => {
  it.each([
    ['of a draft', DRAFT, [], null],
    ['of a draft with chosen sites', CHOSEN, ['a'], ['a']],
    ['of what is published to all', FOR_ALL, [], null],
    ['of what is published to named sites', FOR_NAMED, ['a'], ['a']],
  ] as const)('%s', (_, post, named, audience) => {
    expect(audienceOf(post, named)).toEqual(audience)
  })

  it.each([
    ['a draft goes to all', DRAFT, [], undefined, null],
    ['a draft goes to the named sites', DRAFT, [], ['b'], ['b']],
    ['a draft with chosen sites goes to these', CHOSEN, ['a'], undefined, ['a']],
    ['a draft with chosen sites goes to the named sites instead', CHOSEN, ['a'], ['b'], ['b']],
    ['what is published to all stays for all', FOR_ALL, [], ['b'], null],
    ['named sites come to those named before', FOR_NAMED, ['a'], ['b', 'a'], ['a', 'b']],
    ['what was published to named sites goes to all', FOR_NAMED, ['a'], undefined, null],
    ['what was published to chosen sites goes to these again', FOR_CHOSEN, ['a'], undefined, ['a']],
  ] as const)('once published: %s', (_, post, named, requested, audience) => {
    expect(audienceOncePublished(post, named, requested)).toEqual(audience)
  })
})

describe('the audience that a write asks for', () => {
  const paused = { a: false, b: true }

  it.each<[string, Parameters<typeof wantedAudience>[0], string[], string[] | null, Audience | undefined]>([
    ['all again, of a draft for all', DRAFT, [], null, undefined],
    ['all, of chosen ones', CHOSEN, ['a'], null, null],
    ['the same in another order and case', CHOSEN, ['a', 'b'], ['B', 'a', 'A'], undefined],
    ['others, one of them paused', CHOSEN, ['a'], ['b'], ['b']],
    ['nobody', FOR_ALL, [], [], []],
    ['what it was before a site was disconnected', CHOSEN, ['a', 'gone'], ['a', 'gone'], undefined],
    ['more, with a disconnected site of before', CHOSEN, ['a', 'gone'], ['a', 'b', 'gone'], ['a', 'b']],
  ])('%s', (_, post, named, given, audience) => {
    expect(wantedAudience(post, { named, paused }, given)).toEqual(audience)
  })

  it('has no unknown site', () => {
    expect(() => wantedAudience(DRAFT, { named: [], paused }, ['a', 'gone'])).toThrow(
      expect.objectContaining({ field: 'site_ids.1' }),
    )
  })
})
