/**
 * Build hooks: the address at which the host of a static site starts a build. The site fetches its posts in the build, so the request says
 * nothing, and any 2xx is success. The address is a secret: whoever knows it can start builds.
 */
import { z } from 'zod'
import type { Context } from '../platform/context.ts'
import { attemptOnce, probeOnce } from './attempt.ts'
import type { Channel } from './channel.ts'

/** The name of the kind. */
export const BUILD_HOOK = 'build_hook'

const HookConfig = z.object({ url: z.string() })

/** The channel of sites whose host builds them anew. */
export function buildHookChannel(
  ctx: Pick<Context, 'config' | 'egress' | 'log' | 'traces'>,
): Channel<z.output<typeof HookConfig>> {
  const deadlineMs = ctx.config.deliveryTimeoutMs
  const request = (url: string) =>
    ({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body: '{}' }) as const
  const accepts = (status: number) => status >= 200 && status < 300
  return {
    kind: BUILD_HOOK,
    config: HookConfig,
    budgetMs: deadlineMs,
    attempt: (target, event, signal) =>
      attemptOnce(ctx, { target, event }, () => ({ ...request(target.config.url), deadlineMs, signal }), accepts),
    probe: ({ config }) => probeOnce(ctx, { ...request(config.url), deadlineMs }, accepts),
    preview: ({ config }) => ({ ...request(config.url), url: masked(config.url) }),
  }
}

/** A secret address as people may see it: its host. */
export function masked(url: string): string {
  return URL.canParse(url) ? `${new URL(url).origin}/***` : '***'
}
