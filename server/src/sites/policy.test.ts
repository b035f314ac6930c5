import { describe, expect, it } from 'vitest'
import { platformAfter } from './policy.ts'

describe('a change', () => {
  const whole = {
    name: 'A',
    url: 'https://a.example',
    webhookUrl: 'https://a.example/h',
    niche: '',
    status: 'active' as const,
  }
  const detected = { url: whole.url, platform_given: false }
  const chosen = { url: whole.url, platform_given: true }

  it.each([
    [{ platform: 'gatsby' as const }, 'gatsby'],
    [{ platform: 'custom' as const }, 'custom'],
    [{ ...whole, platform: 'gatsby' as const }, 'gatsby'],
    [{ url: 'https://b.example', platform: 'gatsby' as const }, 'gatsby'],
  ])('%j chooses the platform that it names', (change, platform) => {
    expect(platformAfter(change, 'custom', detected)).toEqual({ platform, platform_given: true })
  })

  it('chooses none when it names none, or is the whole resource as it was shown', () => {
    expect(platformAfter({ name: 'A' }, 'custom', detected)).toBeUndefined()
    expect(platformAfter({ ...whole, platform: 'nextjs' }, 'nextjs', detected)).toBeUndefined()
  })

  it('to another address makes a platform unknown that was detected, and leaves one that was chosen', () => {
    const moved = { url: 'https://b.example' }
    expect(platformAfter(moved, 'nextjs', detected)).toEqual({ platform: 'custom', platform_given: false })
    expect(platformAfter(moved, 'nextjs', chosen)).toBeUndefined()
    expect(platformAfter({ url: whole.url }, 'nextjs', detected)).toBeUndefined()
  })
})
