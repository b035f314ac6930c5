/**
 * The operator's configuration: environment in, one value out. All problems are reported together, and nothing else
 * starts before all of it is valid.
 */
import { join } from 'node:path'
import {
  AI_PROVIDERS,
  type AiConfig,
  type AiProvider,
  aiConfig,
  parseAiBaseUrl,
  parseJobs,
  parseTokens,
} from './ai-config.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { type AllowPolicy, parseAllow } from './egress/addresses.ts'
import { parseHeaderValue } from './header-value.ts'
import { parseCidrs } from './http/client-address.ts'
import type { LogFormat } from './log.ts'
import { type MailConfig, parseMailFrom, parseSmtpUrl } from './mail.ts'
import {
  MEDIA_STORES,
  type MediaConfig,
  type MediaStore,
  MOST_UPLOAD_BYTES,
  mediaConfig,
  parseBucket,
  parseEndpoint,
} from './media-config.ts'
import type { RateLimit } from './rate-limit/rate-limit.ts'
import { messageOf } from './thrown.ts'
import {
  OTLP_PROTOCOLS,
  type OtlpProtocol,
  parseOtlpEndpoint,
  parseOtlpHeaders,
  parseShare,
  type TraceConfig,
} from './traces/trace-config.ts'

/** The plans an account may have (specification, section 8). */
export const PLANS = ['starter', 'pro', 'agency'] as const
export type Plan = (typeof PLANS)[number]

/** What the process runs. */
export type Role = 'all' | 'api' | 'worker'

/** The parsed configuration. Durations in milliseconds. */
export type Config = {
  production: boolean
  port: number
  host: string
  publicUrl: string
  databaseUrl: string | undefined
  dataDir: string
  secretKey: string | undefined
  role: Role
  webhookAllow: AllowPolicy
  retryDelaysMs: readonly number[]
  deliveryTimeoutMs: number
  /** How long finished deliveries are kept; undefined: for ever. */
  historyRetentionMs: number | undefined
  /** The bearer token that a scraper of /metrics must send; undefined: there is no such route. */
  metricsToken: string | undefined
  /** Where traces go; undefined: there are none. */
  traces: TraceConfig | undefined
  /** Whether people may create accounts of their own. */
  registration: 'open' | 'closed'
  defaultPlan: Plan
  /**
   * Requests to the auth endpoints per client address, to the Management API per account by plan (by the dashboard:
   * whatever the plan), to the Pull API per site.
   */
  rateLimits: Record<'auth' | 'pull' | 'dashboard' | Plan, RateLimit>
  ai: AiConfig
  /** The server that sends mail; undefined: there is no mail. */
  mail: MailConfig | undefined
  media: MediaConfig
  /** Memory for answers of the Pull API; 0 keeps none. */
  pullCacheBytes: number
  /** The most bytes of a file of posts that are imported. */
  importBytes: number
  /** Hosts, or beginnings of paths on them, whose frames posts may show; `default` stands for the usual ones, as undefined does. */
  embedHosts: readonly string[] | undefined
  /** Origins that browsers may call the API from. */
  corsOrigins: readonly string[]
  /** Networks of proxies whose X-Forwarded-For is believed. */
  trustProxy: readonly string[]
  logLevel: string
  /** undefined: text where standard output is a terminal, else JSON. */
  logFormat: LogFormat | undefined
}

/** All problems of a configuration, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    )
    this.name = 'ConfigError'
    this.problems = problems
  }
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of `250ms`, `30s`, `5m`, `2h` or `30d`. Throws on anything else. */
function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim()) ?? []
  if (amount === undefined || unit === undefined)
    throw new Error(`"${text}" is not a duration; write it like 250ms, 30s, 5m, 2h or 30d`)
  return Number(amount) * UNITS[unit as keyof typeof UNITS] // the expression admits only these units
}

const BYTES = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 } as const

/** Bytes of `512KB`, `64MB` or `2GB`, 0 of `off`. Throws on anything else. */
function parseBytes(text: string): number {
  if (text === 'off') return 0
  const [, amount, unit] = /^([1-9]\d{0,5})(KB|MB|GB)$/.exec(text) ?? []
  if (amount === undefined || unit === undefined)
    throw new Error(`"${text}" is not an amount of memory; write it like 512KB, 64MB or 2GB, or "off"`)
  return Number(amount) * BYTES[unit as keyof typeof BYTES] // the expression admits only these units
}

/** The most bytes of an uploaded file. */
function parseFileBytes(text: string): number {
  const bytes = parseBytes(text)
  if (bytes < BYTES.KB || bytes > MOST_UPLOAD_BYTES) throw new Error('must be between 1KB and 100MB')
  return bytes
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const ROLES = ['all', 'api', 'worker'] as const

type Reader = <T>(name: string, fallback: T, parse: (text: string) => T) => T

/** Parses the environment. Throws ConfigError with every problem found. */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const read: Reader = (name, fallback, parse) => {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return fallback
    try {
      return parse(text)
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`)
      return fallback
    }
  }
  const production = read('NODE_ENV', false, (text) => text.toLowerCase() === 'production')
  const databaseUrl = read('DATABASE_URL', undefined, (text) => parseDatabaseUrl(text))
  const listenPort = read('PORT', 3000, parsePort)
  const dataDir = read('DATA_DIR', './data', (text) => text)
  const config: Config = {
    production,
    port: listenPort,
    host: read('HOST', production ? '0.0.0.0' : '127.0.0.1', (text) => text),
    publicUrl: read('PUBLIC_URL', `http://localhost:${listenPort}`, parseHttpUrl),
    databaseUrl,
    dataDir,
    secretKey: read('SECRET_KEY', undefined, parseSecretKey),
    role: read<Role>('ROLE', 'all', oneOf(ROLES)),
    webhookAllow: read<AllowPolicy>('WEBHOOK_ALLOW', production ? 'none' : 'loopback', parseAllow),
    retryDelaysMs: read('DELIVERY_RETRY_DELAYS', [30_000, 300_000, 1_800_000], (text) =>
      text.split(',').map(parseDelay),
    ),
    deliveryTimeoutMs: read('DELIVERY_TIMEOUT', 15_000, parseTimeout),
    historyRetentionMs: read('HISTORY_RETENTION', undefined, parseRetention),
    metricsToken: read('METRICS_TOKEN', undefined, parseMetricsToken),
    traces: readTraces(read),
    registration: read<Config['registration']>('REGISTRATION', 'open', oneOf(['open', 'closed'] as const)),
    defaultPlan: read<Plan>('DEFAULT_PLAN', 'starter', oneOf(PLANS)),
    rateLimits: {
      auth: read('RATE_LIMIT_AUTH', { requests: 5, windowMs: UNITS.m }, parseRate),
      starter: read('RATE_LIMIT_STARTER', { requests: 100, windowMs: UNITS.h }, parseRate),
      pro: read('RATE_LIMIT_PRO', { requests: 1_000, windowMs: UNITS.h }, parseRate),
      agency: read('RATE_LIMIT_AGENCY', { requests: 10_000, windowMs: UNITS.h }, parseRate),
      dashboard: read('RATE_LIMIT_DASHBOARD', { requests: 5_000, windowMs: UNITS.h }, parseRate),
      pull: read('RATE_LIMIT_PULL', { requests: 500, windowMs: UNITS.h }, parseRate),
    },
    ai: readAi(read, problems),
    mail: readMail(read, problems),
    media: readMedia(read, problems, {
      chosen: databaseUrl === undefined || Boolean(env.DATA_DIR?.trim()),
      path: join(dataDir, 'media'),
    }),
    pullCacheBytes: read('PULL_CACHE', 64 * BYTES.MB, parseBytes),
    importBytes: read('IMPORT_MAX', 256 * BYTES.MB, parseImportBytes),
    embedHosts: read<readonly string[] | undefined>('EMBED_HOSTS', undefined, parseEmbedHosts),
    corsOrigins: read('CORS_ORIGINS', [], parseOrigins),
    trustProxy: read('TRUST_PROXY', [], parseCidrs),
    logLevel: read('LOG_LEVEL', 'info', oneOf<string>(LEVELS)),
    logFormat: read<LogFormat | undefined>('LOG_FORMAT', undefined, oneOf(['json', 'text'] as const)),
  }
  // A secret that was not filled in must not become another database, without anything in it.
  if (env.DATABASE_URL?.trim() === '') {
    problems.push(
      'DATABASE_URL: is empty; set it to the address of the server, or unset it to use the embedded database',
    )
  }
  if (databaseUrl !== undefined && !env.SECRET_KEY?.trim()) {
    problems.push(
      'SECRET_KEY: required with DATABASE_URL; make one with `openssl rand -base64 32` and keep it for the life of the database',
    )
  }
  if (databaseUrl === undefined && config.role !== 'all') {
    problems.push(`ROLE: "${config.role}" needs DATABASE_URL; the embedded database serves one process only`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function readTraces(read: Reader): TraceConfig | undefined {
  const url = read<string | undefined>('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, parseOtlpEndpoint)
  const rest = {
    headers: read('OTEL_EXPORTER_OTLP_HEADERS', {}, parseOtlpHeaders),
    protocol: read<OtlpProtocol>('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', oneOf(OTLP_PROTOCOLS)),
    serviceName: read('OTEL_SERVICE_NAME', 'postrider', (text) => text),
    share: read('OTEL_TRACES_SAMPLER_ARG', 1, parseShare),
  }
  return url === undefined ? undefined : { url, ...rest }
}

function readMail(read: Reader, problems: string[]): MailConfig | undefined {
  const known = problems.length
  const url = read<string | undefined>('SMTP_URL', undefined, parseSmtpUrl)
  const from = read<string | undefined>('MAIL_FROM', undefined, parseMailFrom)
  if (url !== undefined && from !== undefined) return { url, from }
  // A variable that could not be parsed must not be reported as missing too.
  if (problems.length === known && url !== undefined)
    problems.push(
      'MAIL_FROM: required with SMTP_URL; it is the sender of every mail, like Postrider <post@example.com>',
    )
  if (problems.length === known && from !== undefined) problems.push('SMTP_URL: required with MAIL_FROM')
  return undefined
}

function readMedia(read: Reader, problems: string[], directory: { chosen: boolean; path: string }): MediaConfig {
  const known = problems.length
  const text = (name: string) => read<string | undefined>(name, undefined, parseHeaderValue)
  const variables = {
    store: read<MediaStore | undefined>('MEDIA_STORE', undefined, oneOf(MEDIA_STORES)),
    mostBytes: read('MEDIA_MAX', 20 * BYTES.MB, parseFileBytes),
    bucket: {
      endpoint: read<string | undefined>('MEDIA_S3_ENDPOINT', undefined, parseEndpoint),
      bucket: read<string | undefined>('MEDIA_S3_BUCKET', undefined, parseBucket),
      region: text('MEDIA_S3_REGION') ?? 'us-east-1',
      accessKey: text('MEDIA_S3_ACCESS_KEY'),
      secretKey: text('MEDIA_S3_SECRET_KEY'),
    },
  }
  // A variable that could not be parsed must not be reported as missing too.
  const unread = problems.length > known
  return mediaConfig(variables, directory, (problem) => {
    if (!unread) problems.push(problem)
  })
}

function readAi(read: Reader, problems: string[]): AiConfig {
  const text = (value: string) => value
  const variables = {
    provider: read<AiProvider>('AI_PROVIDER', 'openai-compatible', oneOf(AI_PROVIDERS)),
    baseUrl: read<string | undefined>('AI_BASE_URL', undefined, parseAiBaseUrl),
    apiKey: read<string | undefined>('AI_API_KEY', undefined, parseHeaderValue),
    modelName: read<string | undefined>('AI_MODEL', undefined, text),
    timeoutMs: read('AI_TIMEOUT', 5 * UNITS.m, parseAnswerTimeout),
    jobs: read('AI_JOBS', 4, parseJobs),
    jobsPerAccount: read('AI_JOBS_PER_ACCOUNT', 2, parseJobs),
    tokensPerJob: read('AI_TOKENS_PER_JOB', 150_000, parseTokens),
    tokensPerDay: read<number | 'off'>('AI_TOKENS_PER_DAY', 1_000_000, (value) =>
      value === 'off' ? value : parseTokens(value),
    ),
  }
  // A variable that could not be parsed must not be reported as missing too.
  const unread = problems.some((one) => one.startsWith('AI_'))
  return aiConfig(variables, (problem) => {
    if (!unread) problems.push(problem)
  })
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Error(`"${text}" is not a port; write a number from 0 to 65535`)
  return Number(text)
}

function oneOf<Value extends string>(values: readonly Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((one) => one === text)
    if (value === undefined) throw new Error(`"${text}" is not one of ${values.join(', ')}`)
    return value
  }
}

function parseHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Error('must be an http or https address')
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href))
    throw new Error('must not have a user name, a password, a query or a fragment')
  // Not as it was written: `HTTPS://` is https too, and what is compared with it must not have to know that.
  return url.href.replace(/\/+$/, '')
}

/** The fewest characters of a secret key, wherever it comes from. */
export const SHORTEST_KEY = 32

function parseSecretKey(text: string): string {
  if (text.length < SHORTEST_KEY)
    throw new Error(`must have at least ${SHORTEST_KEY} characters; make one with \`openssl rand -base64 32\``)
  return text
}

/** `5/min`, `100/h` or `off`. */
function parseRate(text: string): RateLimit {
  if (text === 'off') return 'off'
  const [, requests, window] = /^([1-9]\d{0,8})\/(min|h)$/.exec(text) ?? []
  if (requests === undefined) throw new Error(`"${text}" is not a rate; write it like 5/min, 100/h or off`)
  return { requests: Number(requests), windowMs: window === 'h' ? UNITS.h : UNITS.m }
}

/** The most that IMPORT_MAX may allow. */
export const MOST_IMPORT_BYTES = 2 ** 30

function parseImportBytes(text: string): number {
  const bytes = parseBytes(text)
  if (bytes < BYTES.KB || bytes > MOST_IMPORT_BYTES) throw new Error('must be between 1KB and 1GB')
  return bytes
}

/** `default` stands for the usual providers. */
function parseEmbedHosts(text: string): string[] {
  return text.split(',').map((entry) => {
    const host = entry.trim()
    if (host !== 'default' && !/^(?=[^/]*\.)[a-z0-9.-]+(?:\/[\w./-]*[\w-])?$/.test(host))
      throw new Error(`"${host}" is not a host; write it like player.example.com, or player.example.com/embed`)
    return host
  })
}

function parseOrigins(text: string): string[] {
  return text.split(',').map((entry) => {
    const origin = entry.trim().replace(/\/$/, '')
    if (URL.parse(origin)?.origin !== origin)
      throw new Error(`"${origin}" is not an origin; write it like https://app.example.com`)
    return origin
  })
}

/** At most 30 days, far beyond what anybody waits for: the database must be able to hold the time of the next attempt. */
function parseDelay(text: string): number {
  const ms = parseDuration(text)
  if (ms > 30 * UNITS.d) throw new Error('each delay must be at most 30d')
  return ms
}

/** `keep`, or how long: shorter than a day would remove what people still look at, and ids begin in 1970. */
function parseRetention(text: string): number | undefined {
  if (text === 'keep') return undefined
  const ms = parseDuration(text)
  if (ms < UNITS.d || ms > 10_000 * UNITS.d) throw new Error('must be "keep" or between 1d and 10000d')
  return ms
}

function parseMetricsToken(text: string): string {
  if (text.length < 16) throw new Error('must have at least 16 characters; make one with `openssl rand -hex 16`')
  return parseHeaderValue(text)
}

/** A lane's lease outlasts one timeout by fifteen seconds; a dead worker's lanes wait that long. */
function parseTimeout(text: string): number {
  const ms = parseDuration(text)
  if (ms < 50 || ms > 60_000) throw new Error('must be between 50ms and 60s')
  return ms
}

/** A local model may take minutes for an answer. */
function parseAnswerTimeout(text: string): number {
  const ms = parseDuration(text)
  if (ms < 50 || ms > UNITS.h) throw new Error('must be between 50ms and 1h')
  return ms
}
