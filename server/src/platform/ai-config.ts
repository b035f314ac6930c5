/** The configuration for drafts: which model writes them, and what they may cost. */
import { compileAllow, OPERATORS_NETWORKS } from './egress/addresses.ts'
import { checkUrl } from './egress/target.ts'

/** The supported protocols. */
export const AI_PROVIDERS = ['openai-compatible', 'anthropic'] as const
export type AiProvider = (typeof AI_PROVIDERS)[number]

/** A language model and how it is reached; `baseUrl` without a trailing slash, `timeoutMs` for one answer. */
export type ModelConfig = {
  provider: AiProvider
  baseUrl: string
  apiKey: string | undefined
  model: string
  timeoutMs: number
}

/** The name under which a model is shown: provider and name. */
export function modelName({ provider, model }: Pick<ModelConfig, 'provider' | 'model'>): string {
  return `${provider}/${model}`
}

/** Everything about drafts. Without a model drafts are outlines. Tokens are those of prompts and answers together. */
export type AiConfig = {
  model: ModelConfig | undefined
  /** Jobs at work at once: in one process, and for one account. */
  jobs: number
  jobsPerAccount: number
  tokensPerJob: number
  /** Per account, from midnight to midnight UTC. */
  tokensPerDay: number | 'off'
}

/** What the variables hold, each parsed by itself; undefined where nothing was set. */
export type AiVariables = Omit<AiConfig, 'model'> & {
  provider: AiProvider
  baseUrl: string | undefined
  apiKey: string | undefined
  modelName: string | undefined
  timeoutMs: number
}

const ANTHROPIC_URL = 'https://api.anthropic.com/v1'

/** Combines the variables. `report` is told what does not fit, one line each. */
export function aiConfig(variables: AiVariables, report: (problem: string) => void): AiConfig {
  const { provider, baseUrl: given, apiKey, modelName: model, timeoutMs, ...caps } = variables
  const baseUrl = given ?? (provider === 'anthropic' ? ANTHROPIC_URL : undefined)
  if (model === undefined) {
    if (given !== undefined || apiKey !== undefined || provider === 'anthropic')
      report(
        "AI_MODEL: required with AI_BASE_URL, AI_API_KEY or AI_PROVIDER=anthropic; set it to the provider's name of the model",
      )
    return { ...caps, model: undefined }
  }
  if (baseUrl === undefined)
    report('AI_BASE_URL: required with AI_MODEL, such as https://api.openai.com/v1 or http://localhost:11434/v1')
  if (provider === 'anthropic' && apiKey === undefined) report('AI_API_KEY: required with AI_PROVIDER=anthropic')
  return { ...caps, model: { provider, baseUrl: baseUrl ?? '', apiKey, model, timeoutMs } }
}

const NETWORKS = compileAllow(OPERATORS_NETWORKS)

/** The root of a model's API. Throws for an address that could never be called. */
export function parseAiBaseUrl(text: string): string {
  const verdict = checkUrl(text, NETWORKS)
  if (!verdict.ok) throw new Error(`cannot be called: ${verdict.reason}`)
  const { pathname, search, hash, href } = new URL(text)
  const [, end] = /(\/chat\/completions|\/completions|\/messages)\/*$/.exec(pathname) ?? []
  if (end !== undefined) throw new Error(`must be the API's root, without ${end}`)
  if (search !== '' || hash !== '') throw new Error('must have no query and no fragment')
  return href.replace(/\/+$/, '')
}

/** A number of tokens from 1,000. */
export function parseTokens(text: string): number {
  if (!/^\d{4,12}$/.test(text))
    throw new Error(`"${text}" is not a number of tokens; write a whole number of at least 1000`)
  return Number(text)
}

/** How many jobs may be at work at once. */
export function parseJobs(text: string): number {
  if (!/^([1-9]|[1-9]\d|100)$/.test(text)) throw new Error(`"${text}" is not a whole number from 1 to 100`)
  return Number(text)
}
