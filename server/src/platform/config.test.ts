import { describe, expect, it } from 'vitest'
import { ConfigError, parseConfig } from './config.ts'

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('the configuration', () => {
  it('has safe defaults on a laptop', () => {
    expect(parseConfig({})).toEqual({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      dataDir: './data',
      secretKey: undefined,
      role: 'all',
      webhookAllow: 'loopback',
      retryDelaysMs: [30_000, 300_000, 1_800_000],
      deliveryTimeoutMs: 15_000,
      defaultPlan: 'starter',
      rateLimits: {
        auth: { requests: 5, windowMs: 60_000 },
        starter: { requests: 100, windowMs: 3_600_000 },
        pro: { requests: 1_000, windowMs: 3_600_000 },
        agency: { requests: 10_000, windowMs: 3_600_000 },
        pull: { requests: 500, windowMs: 3_600_000 },
      },
      corsOrigins: [],
      trustProxy: [],
      logLevel: 'info',
    })
  })

  it('calls no private address in production unless told', () => {
    expect(parseConfig({ NODE_ENV: 'production' })).toMatchObject({ host: '0.0.0.0', webhookAllow: 'none' })
    expect(parseConfig({ NODE_ENV: 'production', WEBHOOK_ALLOW: '10.1.0.0/16' })).toMatchObject({
      webhookAllow: { cidrs: ['10.1.0.0/16'] },
    })
  })

  it('reads durations in their four units, zero included', () => {
    expect(parseConfig({ DELIVERY_RETRY_DELAYS: '0s,250ms,5m,2h' }).retryDelaysMs).toEqual([0, 250, 300_000, 7_200_000])
  })

  it('takes an empty variable as not set', () => {
    expect(parseConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 3000, databaseUrl: undefined })
  })

  it.each<[string, Record<string, string>]>([
    ['PORT', { PORT: '65536' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'blog.example.com' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x', SECRET_KEY: 'x'.repeat(32) }],
    ['SECRET_KEY', { SECRET_KEY: 'short' }],
    ['SECRET_KEY', { DATABASE_URL: 'postgres://localhost/x' }],
    ['ROLE', { ROLE: 'api' }],
    ['WEBHOOK_ALLOW', { WEBHOOK_ALLOW: 'everything' }],
    ['DELIVERY_RETRY_DELAYS', { DELIVERY_RETRY_DELAYS: '30' }],
    ['DELIVERY_TIMEOUT', { DELIVERY_TIMEOUT: '2h' }],
    ['DEFAULT_PLAN', { DEFAULT_PLAN: 'gold' }],
    ['RATE_LIMIT_AUTH', { RATE_LIMIT_AUTH: '5/s' }],
    ['RATE_LIMIT_PULL', { RATE_LIMIT_PULL: '0/h' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example/path' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ])('names %s when it is wrong: %j', (name, env) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(`^${name}: `)])
  })
})
