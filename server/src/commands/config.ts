import { type Config, parseConfig } from '../platform/config.ts'
import { withoutSecrets } from '../platform/database-url.ts'
import type { AllowPolicy } from '../platform/egress/addresses.ts'
import { withoutPassword } from '../platform/mail.ts'
import type { BucketConfig } from '../platform/media-config.ts'
import type { RateLimit } from '../platform/rate-limit/rate-limit.ts'
import { inColumns } from './columns.ts'
import { EXIT, type Run } from './command.ts'

/** A variable as shown. `secret` values never appear, only whether there is one. */
type Shown = { name: string; value: string; source: 'environment' | 'default' }

const UNTRACED = 'not used without OTEL_EXPORTER_OTLP_ENDPOINT'

const bucketText =
  (text: (bucket: BucketConfig) => string) =>
  ({ media: { place } }: Config): string =>
    place.kind === 's3' ? text(place) : 'not used without MEDIA_STORE=s3'

/** Prints each variable's value in effect, in the form in which it would be set. */
const VARIABLES: Record<string, (config: Config) => string> = {
  NODE_ENV: ({ production }) => (production ? 'production' : 'not production'),
  PORT: ({ port }) => String(port),
  HOST: ({ host }) => host,
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  DATABASE_URL: ({ databaseUrl }) =>
    databaseUrl === undefined ? 'not set: embedded database' : withoutSecrets(databaseUrl),
  DATA_DIR: ({ dataDir }) => dataDir,
  SECRET_KEY: ({ secretKey }) => (secretKey === undefined ? 'not set: the key file in DATA_DIR' : 'set'),
  ROLE: ({ role }) => role,
  WEBHOOK_ALLOW: ({ webhookAllow }) => allowText(webhookAllow),
  DELIVERY_RETRY_DELAYS: ({ retryDelaysMs }) => retryDelaysMs.map(durationText).join(','),
  DELIVERY_TIMEOUT: ({ deliveryTimeoutMs }) => durationText(deliveryTimeoutMs),
  HISTORY_RETENTION: ({ historyRetentionMs }) =>
    historyRetentionMs === undefined ? 'keep' : durationText(historyRetentionMs),
  METRICS_TOKEN: ({ metricsToken }) => (metricsToken === undefined ? 'not set: no /metrics' : 'set'),
  OTEL_EXPORTER_OTLP_ENDPOINT: ({ traces }) => traces?.url.replace(/\/v1\/traces$/, '') ?? 'not set: no traces',
  OTEL_EXPORTER_OTLP_HEADERS: ({ traces }) => (Object.keys(traces?.headers ?? {}).length > 0 ? 'set' : 'not set'),
  OTEL_EXPORTER_OTLP_PROTOCOL: ({ traces }) => traces?.protocol ?? UNTRACED,
  OTEL_SERVICE_NAME: ({ traces }) => traces?.serviceName ?? UNTRACED,
  OTEL_TRACES_SAMPLER_ARG: ({ traces }) => String(traces?.share ?? UNTRACED),
  REGISTRATION: ({ registration }) => registration,
  DEFAULT_PLAN: ({ defaultPlan }) => defaultPlan,
  RATE_LIMIT_AUTH: ({ rateLimits }) => rateText(rateLimits.auth),
  RATE_LIMIT_STARTER: ({ rateLimits }) => rateText(rateLimits.starter),
  RATE_LIMIT_PRO: ({ rateLimits }) => rateText(rateLimits.pro),
  RATE_LIMIT_AGENCY: ({ rateLimits }) => rateText(rateLimits.agency),
  RATE_LIMIT_DASHBOARD: ({ rateLimits }) => rateText(rateLimits.dashboard),
  RATE_LIMIT_PULL: ({ rateLimits }) => rateText(rateLimits.pull),
  AI_PROVIDER: ({ ai }) => ai.model?.provider ?? 'not used without AI_MODEL',
  AI_BASE_URL: ({ ai }) => ai.model?.baseUrl ?? 'not used without AI_MODEL',
  AI_API_KEY: ({ ai }) => (ai.model?.apiKey === undefined ? 'not set' : 'set'),
  AI_MODEL: ({ ai }) => ai.model?.model ?? 'not set: drafts are outlines',
  AI_TIMEOUT: ({ ai }) => (ai.model === undefined ? 'not used without AI_MODEL' : durationText(ai.model.timeoutMs)),
  AI_JOBS: ({ ai }) => String(ai.jobs),
  AI_JOBS_PER_ACCOUNT: ({ ai }) => String(ai.jobsPerAccount),
  AI_TOKENS_PER_JOB: ({ ai }) => String(ai.tokensPerJob),
  AI_TOKENS_PER_DAY: ({ ai }) => String(ai.tokensPerDay),
  SMTP_URL: ({ mail }) => (mail === undefined ? 'not set: no mail' : withoutPassword(mail.url)),
  MAIL_FROM: ({ mail }) => mail?.from ?? 'not set: no mail',
  MEDIA_STORE: ({ media: { place } }) => (place.kind === 'unset' ? 'not set: no uploads' : place.kind),
  MEDIA_MAX: ({ media }) => bytesText(media.mostBytes),
  MEDIA_S3_ENDPOINT: bucketText(({ endpoint }) => endpoint),
  MEDIA_S3_BUCKET: bucketText(({ bucket }) => bucket),
  MEDIA_S3_REGION: bucketText(({ region }) => region),
  MEDIA_S3_ACCESS_KEY: bucketText(() => 'set'),
  MEDIA_S3_SECRET_KEY: bucketText(() => 'set'),
  EMBED_HOSTS: ({ embedHosts }) => listText(embedHosts ?? ['default']),
  IMPORT_MAX: ({ importBytes }) => bytesText(importBytes),
  PULL_CACHE: ({ pullCacheBytes }) => bytesText(pullCacheBytes),
  CORS_ORIGINS: ({ corsOrigins }) => listText(corsOrigins),
  TRUST_PROXY: ({ trustProxy }) => listText(trustProxy),
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOG_FORMAT: ({ logFormat }) => logFormat ?? 'text in a terminal, json elsewhere',
}

/** Shows the configuration in effect. */
export const run: Run = async ({ options, env, terminal }) => {
  const shown = effectiveConfig(env)
  if (options.json === true) {
    const entries = shown.map(({ name, ...rest }) => [name, rest])
    terminal.print(JSON.stringify(Object.fromEntries(entries), null, 2))
    return EXIT.ok
  }
  for (const line of inColumns(shown.map(({ name, value, source }) => [name, value, source]))) terminal.print(line)
  return EXIT.ok
}

/** Every variable with its value in effect. Throws ConfigError when the environment is wrong. */
export function effectiveConfig(env: Readonly<Record<string, string | undefined>>): Shown[] {
  const config = parseConfig(env)
  return Object.entries(VARIABLES).map(([name, show]) => ({
    name,
    value: show(config),
    source: env[name]?.trim() ? 'environment' : 'default',
  }))
}

function allowText(policy: AllowPolicy): string {
  return typeof policy === 'string' ? policy : policy.cidrs.join(',')
}

function listText(entries: readonly string[]): string {
  return entries.length === 0 ? 'none' : entries.join(',')
}

type Unit = readonly [name: string, size: number]

const DURATIONS: readonly Unit[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
]
const SIZES: readonly Unit[] = [
  ['GB', 2 ** 30],
  ['MB', 2 ** 20],
  ['KB', 2 ** 10],
]

/** The amount in the largest unit of which it is a multiple, else in the smallest. */
function inUnits(amount: number, units: readonly Unit[]): string {
  const [name, size] = units.find(([, size]) => amount > 0 && amount % size === 0) ?? units.at(-1) ?? ['', 1]
  return `${amount / size}${name}`
}

function durationText(ms: number): string {
  return inUnits(ms, DURATIONS)
}

function rateText(limit: RateLimit): string {
  return limit === 'off' ? 'off' : `${limit.requests}/${limit.windowMs === 3_600_000 ? 'h' : 'min'}`
}

function bytesText(bytes: number): string {
  return bytes === 0 ? 'off' : inUnits(bytes, SIZES)
}
