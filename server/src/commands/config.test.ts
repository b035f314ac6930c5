import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { effectiveConfig } from './config.ts'

const valuesIn = (env: Record<string, string>) =>
  Object.fromEntries(effectiveConfig(env).map(({ name, value }) => [name, value]))

describe('effectiveConfig', () => {
  it('shows every variable that the configuration reads', () => {
    const source = readFileSync(new URL('../platform/config.ts', import.meta.url), 'utf8')
    const read = [...source.matchAll(/\bread(?:<[^>]+>)?\(\s*'([A-Z_]+)'|\benv\.([A-Z_]+)/g)].map(([, a, b]) => a ?? b)
    expect(effectiveConfig({}).map(({ name }) => name)).toEqual(expect.arrayContaining(read))
    expect(read.length).toBeGreaterThan(25)
  })

  it('shows values in the form in which they are set', () => {
    const env = {
      DELIVERY_RETRY_DELAYS: '0ms,250ms,90s,5m,2h',
      DELIVERY_TIMEOUT: '1500ms',
      RATE_LIMIT_AUTH: '7/h',
      RATE_LIMIT_PRO: 'off',
      RATE_LIMIT_AGENCY: '3/min',
      WEBHOOK_ALLOW: '10.0.0.0/8',
      LOG_LEVEL: 'warn',
      AI_PROVIDER: 'anthropic',
      AI_BASE_URL: 'https://models.example/v1',
      AI_API_KEY: 'set',
      AI_MODEL: 'claude-sonnet-4-5',
      AI_TIMEOUT: '90s',
      AI_JOBS: '7',
      AI_JOBS_PER_ACCOUNT: '3',
      AI_TOKENS_PER_JOB: '40000',
      AI_TOKENS_PER_DAY: 'off',
    }
    expect(valuesIn(env)).toMatchObject(env)
  })

  it('says where a value comes from', () => {
    const shown = effectiveConfig({ PORT: '4000', HOST: ' ' })
    expect(shown).toContainEqual({ name: 'PORT', value: '4000', source: 'environment' })
    expect(shown).toContainEqual({ name: 'HOST', value: '127.0.0.1', source: 'default' })
  })

  it('shows no secret', () => {
    const text = JSON.stringify(
      effectiveConfig({
        DATABASE_URL: 'postgres://me:hunter2@db.example:5432/posts?sslpassword=hunter3',
        SECRET_KEY: 'a secret key for tests, long enough',
        AI_API_KEY: 'sk-hunter4',
        AI_BASE_URL: 'https://models.example/v1',
        AI_MODEL: 'x',
      }),
    )
    expect(text).not.toMatch(/hunter|secret key for tests/)
    expect(text).toContain('me:***@db.example:5432/posts')
  })
})
