import { describe, expect, it } from 'vitest'
import type { KnownPlatform } from './clues.ts'
import { confirms } from './confirms.ts'

const JSON_TYPE = 'application/json'

function answered(platform: KnownPlatform, status: number, type: string, text: string, truncated = false): boolean {
  return confirms(platform, { status, headers: { 'content-type': type }, text, truncated })
}

const index = '{"name":"A","namespaces":["oembed\\/1.0","wp\\/v2"],"routes":{"\\/":{}}}'

describe('a probe', () => {
  it.each<[KnownPlatform, number, string, string]>([
    ['nextjs', 200, 'application/javascript; charset=UTF-8', ''],
    ['nextjs', 200, 'text/javascript', ''],
    ['nextjs', 200, 'text/css; charset=UTF-8', ''],
    ['sveltekit', 200, JSON_TYPE, '{"version":"1763712000000"}'],
    ['gatsby', 200, JSON_TYPE, '{"webpackCompilationHash":""}'],
    ['wordpress', 200, JSON_TYPE, index],
    ['wordpress', 401, JSON_TYPE, '{"code":"rest_cannot_access","message":"…","data":{"status":401}}'],
  ])('confirms %s: %i %s', (platform, status, type, text) => {
    expect(answered(platform, status, type, text)).toBe(true)
  })

  it.each<[KnownPlatform, number, string, string]>([
    ['nextjs', 200, 'text/html', '<!DOCTYPE html>'],
    ['nextjs', 404, 'application/javascript', ''],
    ['nextjs', 200, 'application/json', '{}'],
    ['sveltekit', 200, 'text/html', '<!DOCTYPE html>'],
    ['sveltekit', 200, JSON_TYPE, '{"version":1}'],
    ['sveltekit', 404, JSON_TYPE, '{"version":"1"}'],
    ['sveltekit', 200, JSON_TYPE, 'null'],
    ['gatsby', 200, JSON_TYPE, '[]'],
    ['gatsby', 200, JSON_TYPE, '{"error":"not found"}'],
    ['wordpress', 200, JSON_TYPE, '{"namespaces":["oembed/1.0"]}'],
    ['wordpress', 200, JSON_TYPE, '{"namespaces":"wp/v2"}'],
    ['wordpress', 404, JSON_TYPE, index],
    ['wordpress', 403, 'text/html', '<h1>Forbidden</h1>'],
    ['wordpress', 403, JSON_TYPE, '{"code":1020}'],
  ])('does not confirm %s: %i %s %s', (platform, status, type, text) => {
    expect(answered(platform, status, type, text)).toBe(false)
  })

  it('finds the namespaces in an index that is cut off', () => {
    expect(answered('wordpress', 200, JSON_TYPE, index.slice(0, -8), true)).toBe(true)
    expect(answered('wordpress', 200, JSON_TYPE, index.replace('wp\\/v2', 'x').slice(0, -8), true)).toBe(false)
  })

  it('is read in a moment when it is made to be slow', () => {
    const before = performance.now()
    expect(answered('wordpress', 200, JSON_TYPE, `{${'"namespaces":["wp'.repeat(4_000)}`, true)).toBe(false)
    expect(performance.now() - before).toBeLessThan(2_000)
  })
})
