import { describe, expect, it } from 'vitest'
import { choosesPlatform } from './policy.ts'

describe('a change', () => {
  const whole = {
    name: 'A',
    url: 'https://a.example',
    webhookUrl: 'https://a.example/h',
    niche: '',
    status: 'active' as const,
  }

  it('chooses the platform that it names', () => {
    expect(choosesPlatform({ platform: 'gatsby' }, 'custom')).toBe(true)
    expect(choosesPlatform({ platform: 'custom' }, 'custom')).toBe(true)
    expect(choosesPlatform({ ...whole, platform: 'gatsby' }, 'custom')).toBe(true)
  })

  it('does not when it names none, or is the whole resource as it was shown', () => {
    expect(choosesPlatform({ name: 'A' }, 'custom')).toBe(false)
    expect(choosesPlatform({ ...whole, platform: 'nextjs' }, 'nextjs')).toBe(false)
  })
})
