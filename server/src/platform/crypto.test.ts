import { describe, expect, it } from 'vitest'
import { deriveKeys, hashPassword, lookupIndex, NO_PASSWORD, seal, unseal, verifyPassword } from './crypto.ts'

const keys = deriveKeys('a secret key of at least thirty-two characters')
const otherKeys = deriveKeys('another secret key of thirty-two characters')

describe('sealed values', () => {
  it('open at their own place, with their own key, unchanged', () => {
    const sealed = seal(keys, 'sites.api_key:1', 'pr_secret')
    expect(unseal(keys, 'sites.api_key:1', sealed)).toBe('pr_secret')
    expect(() => unseal(keys, 'sites.api_key:2', sealed)).toThrow()
    expect(() => unseal(otherKeys, 'sites.api_key:1', sealed)).toThrow()
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
      expect(() => unseal(keys, 'sites.api_key:1', changed)).toThrow()
    }
  })

  it('never look alike, while their index does', () => {
    expect(seal(keys, 'x', 'same')).not.toEqual(seal(keys, 'x', 'same'))
    expect(lookupIndex(keys, 'same')).toEqual(lookupIndex(keys, 'same'))
    expect(lookupIndex(keys, 'same')).not.toEqual(lookupIndex(otherKeys, 'same'))
  })
})

describe('passwords', () => {
  it('match themselves only', async () => {
    const hash = await hashPassword('correct horse')
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    expect(await verifyPassword('correct horse ', hash)).toBe(false)
    expect(await hashPassword('correct horse')).not.toBe(hash)
  })

  it('wait for each other, a hundred of them', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 110 }, () => hashPassword('correct horse')))
    const refused = asked.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(8)
    expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } })
    expect(await hashPassword('correct horse')).toMatch(/^\$argon2id/)
  })

  it('do not match the hash of none, which takes as much work', async () => {
    const cost = (hash: string) => hash.split('$').slice(0, 4)
    expect(cost(NO_PASSWORD)).toEqual(cost(await hashPassword('correct horse')))
    expect(NO_PASSWORD).toHaveLength((await hashPassword('correct horse')).length)
    expect(await verifyPassword('', NO_PASSWORD)).toBe(false)
  })
})
