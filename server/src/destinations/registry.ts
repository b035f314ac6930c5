import { type AttemptOutcome, openSecret, type Sendable, type Target } from '../engine/index.ts'
import type { Context } from '../platform/context.ts'
import type { Keys } from '../platform/crypto.ts'
import { BUILD_HOOK, buildHookChannel, masked } from './build-hook.ts'
import type { Channel, ChannelEvent, ChannelTarget, ProbeResult, SentRequest } from './channel.ts'
import { WebhookConfig, webhookChannel } from './webhook/channel.ts'

/** The kinds of destinations that there are. */
export function createChannels(
  ctx: Pick<Context, 'clock' | 'config' | 'egress' | 'ids' | 'keys' | 'log' | 'traces'>,
): Channels {
  return new Channels(ctx.keys, [webhookChannel(ctx), buildHookChannel(ctx)])
}

/** The address of an endpoint, with its secrets; both kinds that there are have one. */
export function addressOf({ config }: { config: unknown }): string {
  return WebhookConfig.parse(config).url
}

/** The same as it may be shown in lists and logs. */
export function shownAddressOf(endpoint: { kind: string; config: unknown }): string {
  const address = addressOf(endpoint)
  return endpoint.kind === BUILD_HOOK ? masked(address) : address
}

/** Finds the channel of a target, checks its configuration and opens its secret: once per target that was read. */
export class Channels {
  readonly #keys: Keys
  readonly #channels: ReadonlyMap<string, Channel>
  readonly #ready = new WeakMap<Target, { channel: Channel; target: ChannelTarget<unknown> }>()

  // biome-ignore lint/suspicious/noExplicitAny: each channel gets only configurations that its own schema has let through
  constructor(keys: Keys, channels: ReadonlyArray<Channel<any>>) {
    this.#keys = keys
    this.#channels = new Map(channels.map((channel) => [channel.kind, channel]))
  }

  /** The longest that an attempt of any kind may take, in milliseconds. */
  get budgetMs(): number {
    return Math.max(...[...this.#channels.values()].map(({ budgetMs }) => budgetMs))
  }

  /** Makes one attempt, as the engine asks for it. */
  attempt({ delivery, target: row, event: content }: Sendable, signal: AbortSignal): Promise<AttemptOutcome> {
    const { channel, target } = this.#of(row)
    return channel.attempt(target, { deliveryId: delivery.id, attempt: delivery.attempts + 1, content }, signal)
  }

  /** Tries a target with a sample post. */
  probe(row: Target, sample: object): Promise<ProbeResult> {
    const { channel, target } = this.#of(row)
    return channel.probe(target, sample)
  }

  /** The request that an attempt made now would make. */
  preview(row: Target, event: ChannelEvent): SentRequest {
    const { channel, target } = this.#of(row)
    return channel.preview(target, event)
  }

  #of(row: Target): { channel: Channel; target: ChannelTarget<unknown> } {
    const ready = this.#ready.get(row)
    if (ready !== undefined) return ready
    const channel = this.#channels.get(row.kind)
    if (channel === undefined) throw new Error(`there is no channel of the kind ${row.kind}`)
    const { siteId, siteName } = row
    const secret = openSecret(this.#keys, siteId, row.secretSealed)
    const made = { channel, target: { siteId, siteName, config: channel.config.parse(row.config), secret } }
    this.#ready.set(row, made)
    return made
  }
}
