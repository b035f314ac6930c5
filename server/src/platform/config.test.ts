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
      historyRetentionMs: undefined,
      metricsToken: undefined,
      registration: 'open',
      defaultPlan: 'starter',
      rateLimits: {
        auth: { requests: 5, windowMs: 60_000 },
        starter: { requests: 100, windowMs: 3_600_000 },
        pro: { requests: 1_000, windowMs: 3_600_000 },
        agency: { requests: 10_000, windowMs: 3_600_000 },
        dashboard: { requests: 5000, windowMs: 3_600_000 },
        pull: { requests: 500, windowMs: 3_600_000 },
      },
      ai: { model: undefined, jobs: 4, jobsPerAccount: 2, tokensPerJob: 150_000, tokensPerDay: 1_000_000 },
      media: { mostBytes: 20_971_520, place: { kind: 'disk', directory: 'data/media' } },
      importBytes: 268_435_456,
      pullCacheBytes: 67_108_864,
      corsOrigins: [],
      trustProxy: [],
      logLevel: 'info',
    })
  })

  it('keeps pictures beside the embedded database, and guesses no place for them beside a server', () => {
    const server = { DATABASE_URL: 'postgres://localhost/p', SECRET_KEY: 'x'.repeat(32) }
    const placeOf = (env: Record<string, string>) => parseConfig(env).media.place
    expect(placeOf(server)).toEqual({ kind: 'unset' })
    expect(placeOf({ ...server, DATA_DIR: '/data' })).toEqual({ kind: 'disk', directory: '/data/media' })
    expect(placeOf({ ...server, MEDIA_STORE: 'disk' })).toEqual({ kind: 'disk', directory: 'data/media' })
    const bucket = { MEDIA_S3_BUCKET: 'b-1', MEDIA_S3_ACCESS_KEY: 'a', MEDIA_S3_SECRET_KEY: 's' }
    expect(placeOf({ MEDIA_STORE: 's3', MEDIA_S3_ENDPOINT: 'http://10.0.0.1:9000/', ...bucket })).toEqual({
      kind: 's3',
      endpoint: 'http://10.0.0.1:9000',
      bucket: 'b-1',
      region: 'us-east-1',
      accessKey: 'a',
      secretKey: 's',
    })
    expect(() => parseConfig({ MEDIA_STORE: 's3', ...bucket })).toThrow('MEDIA_S3_ENDPOINT: required')
    expect(() => parseConfig(bucket)).toThrow('MEDIA_STORE: set it to s3 to use MEDIA_S3_BUCKET')
    expect(() => parseConfig({ MEDIA_MAX: '1GB' })).toThrow('MEDIA_MAX: must be between')
  })

  it('calls no private address in production unless told', () => {
    expect(parseConfig({ NODE_ENV: 'production' })).toMatchObject({ host: '0.0.0.0', webhookAllow: 'none' })
    expect(parseConfig({ NODE_ENV: 'production', WEBHOOK_ALLOW: '10.1.0.0/16' })).toMatchObject({
      webhookAllow: { cidrs: ['10.1.0.0/16'] },
    })
  })

  it.each(['production ', 'Production'])('takes %j for production', (text) => {
    expect(parseConfig({ NODE_ENV: text }).production).toBe(true)
  })

  it('reads durations in their units, zero included', () => {
    expect(parseConfig({ DELIVERY_RETRY_DELAYS: '0s,250ms,5m,2h' }).retryDelaysMs).toEqual([0, 250, 300_000, 7_200_000])
  })

  it('keeps history for ever, or for as long as it is told', () => {
    expect(parseConfig({ HISTORY_RETENTION: 'keep' }).historyRetentionMs).toBeUndefined()
    expect(parseConfig({ HISTORY_RETENTION: '30d' }).historyRetentionMs).toBe(30 * 86_400_000)
  })

  it.each([
    [
      { AI_MODEL: 'gpt-5-mini', AI_BASE_URL: 'https://api.openai.com/v1/', AI_API_KEY: 'sk-1' },
      { provider: 'openai-compatible', baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1', model: 'gpt-5-mini' },
    ],
    [
      { AI_MODEL: 'llama3.1', AI_BASE_URL: 'http://ollama:11434/v1', AI_TIMEOUT: '20m' },
      { baseUrl: 'http://ollama:11434/v1', apiKey: undefined, timeoutMs: 1_200_000 },
    ],
    [
      { AI_MODEL: 'claude-sonnet-4-5', AI_PROVIDER: 'anthropic', AI_API_KEY: 'sk-ant-1', NODE_ENV: 'production' },
      { provider: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', timeoutMs: 300_000 },
    ],
  ])('knows the model of %j', (env, model) => {
    expect(parseConfig(env).ai.model).toMatchObject(model)
  })

  it('takes PUBLIC_URL in the form in which addresses are compared', () => {
    const of = (url: string) => parseConfig({ PUBLIC_URL: url }).publicUrl
    expect(of('HTTPS://Posts.Example.com/')).toBe('https://posts.example.com')
    expect(of('http://localhost:0')).toBe('http://localhost:0')
    expect(of('https://example.com/posts//')).toBe('https://example.com/posts')
  })

  it('takes an empty variable as not set', () => {
    expect(parseConfig({ PORT: '', SECRET_KEY: ' ' })).toMatchObject({ port: 3000, secretKey: undefined })
  })

  it.each<[string, Record<string, string>]>([
    ['PORT', { PORT: '65536' }],
    ['HISTORY_RETENTION', { HISTORY_RETENTION: '2h' }],
    ['HISTORY_RETENTION', { HISTORY_RETENTION: '36500d' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'short' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'ein Schlüssel mit Umlaut' }],
    ['OTEL_EXPORTER_OTLP_HEADERS', { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%0Ax' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'blog.example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://me:hunter2@example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://me@example.com' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://example.com/?page=1' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://example.com/#top' }],
    ['DATABASE_URL', { DATABASE_URL: '' }],
    ['DATABASE_URL', { DATABASE_URL: ' ', SECRET_KEY: 'x'.repeat(32) }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x', SECRET_KEY: 'x'.repeat(32) }],
    ['SECRET_KEY', { SECRET_KEY: 'short' }],
    ['SECRET_KEY', { DATABASE_URL: 'postgres://localhost/x' }],
    ['ROLE', { ROLE: 'api' }],
    ['WEBHOOK_ALLOW', { WEBHOOK_ALLOW: 'everything' }],
    ['DELIVERY_RETRY_DELAYS', { DELIVERY_RETRY_DELAYS: '30' }],
    ['DELIVERY_RETRY_DELAYS', { DELIVERY_RETRY_DELAYS: '30s,999999999999d' }],
    ['DELIVERY_TIMEOUT', { DELIVERY_TIMEOUT: '2h' }],
    ['DEFAULT_PLAN', { DEFAULT_PLAN: 'gold' }],
    ['REGISTRATION', { REGISTRATION: 'no' }],
    ['RATE_LIMIT_AUTH', { RATE_LIMIT_AUTH: '5/s' }],
    ['RATE_LIMIT_PULL', { RATE_LIMIT_PULL: '0/h' }],
    ['AI_PROVIDER', { AI_PROVIDER: 'openai', AI_MODEL: 'x' }],
    ['AI_BASE_URL', { AI_MODEL: 'x' }],
    ['AI_BASE_URL', { AI_MODEL: 'x', AI_BASE_URL: 'http://8.8.8.8/v1' }],
    ['AI_BASE_URL', { AI_MODEL: 'x', AI_BASE_URL: 'http://169.254.169.254/v1' }],
    ['AI_BASE_URL', { AI_MODEL: 'x', AI_BASE_URL: 'https://api.openai.com/v1/chat/completions' }],
    ['AI_BASE_URL', { AI_MODEL: 'x', AI_BASE_URL: 'https://key@api.openai.com/v1' }],
    ['AI_MODEL', { AI_BASE_URL: 'http://localhost:11434/v1' }],
    ['AI_MODEL', { AI_API_KEY: 'sk-1' }],
    ['AI_API_KEY', { AI_API_KEY: 'sk-…', AI_MODEL: 'gpt-5-mini', AI_BASE_URL: 'https://api.openai.com/v1' }],
    ['AI_API_KEY', { AI_PROVIDER: 'anthropic', AI_MODEL: 'claude-sonnet-4-5' }],
    ['AI_TIMEOUT', { AI_TIMEOUT: '2h' }],
    ['AI_JOBS', { AI_JOBS: '0' }],
    ['AI_JOBS_PER_ACCOUNT', { AI_JOBS_PER_ACCOUNT: 'many' }],
    ['AI_TOKENS_PER_JOB', { AI_TOKENS_PER_JOB: 'off' }],
    ['AI_TOKENS_PER_DAY', { AI_TOKENS_PER_DAY: '10' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: '*' }],
    ['CORS_ORIGINS', { CORS_ORIGINS: 'https://a.example/path' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ])('names %s when it is wrong: %j', (name, env) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(`^${name}: `)])
  })
})
