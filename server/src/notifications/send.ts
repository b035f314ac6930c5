/** Sending messages: one by one, each retried on its own, so that a channel that fails holds up no other. */
import { signedHeaders, signingKey } from '../destinations/index.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/db/database.ts'
import { enqueueJob } from '../platform/jobs/queue.ts'
import type { JobKind, JobOutcome } from '../platform/jobs/runner.ts'
import { errorField } from '../platform/log.ts'
import { MailError, type Message, mailOf, sendMail } from '../platform/mail.ts'
import { messageOf } from '../platform/thrown.ts'
import { type Channel, findChannel, listenersTo, newVerification, recordSent, VERIFICATION_JOB } from './channels.ts'
import type { NotificationEvent } from './events.ts'
import { messageFor, slackOf } from './message.ts'

const MESSAGE_JOB = 'message'
/** The waits between tries: eight hours in all, after which nobody needs the message. */
const RETRY_DELAYS_MS = [30_000, 2 * 60_000, 10 * 60_000, 3_600_000, 7 * 3_600_000]
const DEADLINE_MS = 10_000

type Payload = { channelId: string; at: string; event: NotificationEvent }

/** Tells the account's channels of an event: the messages are kept in the transaction in which it happens, and sent after it. */
export async function notify(
  ctx: Pick<Context, 'clock' | 'ids' | 'signals'>,
  tx: Tx,
  accountId: string,
  event: NotificationEvent,
): Promise<void> {
  const at = ctx.clock.now().toISOString()
  for (const channelId of await listenersTo(tx, accountId, event.name)) {
    const payload: Payload = { channelId, at, event }
    await enqueueJob(ctx, tx, { kind: MESSAGE_JOB, key: ctx.ids.next(), accountId, payload })
  }
}

/** The kind of job that sends one message over one channel. A crash after sending and before recording sends it twice. */
export function messageJobs(ctx: Context): JobKind<Payload> {
  return {
    name: MESSAGE_JOB,
    limits: { perProcess: 8, perAccount: 4 },
    async run({ accountId, key, payload: { channelId, at, event }, tries }) {
      const channel = await findChannel(ctx, accountId, channelId)
      // Removed, or moved to an address that was not asked yet.
      if (channel === undefined || channel.row.status === 'unverified') return DONE
      try {
        await sendOver(ctx, channel, { id: key, at, event })
        await recordSent(ctx, channel, null)
        return DONE
      } catch (error) {
        await recordSent(ctx, channel, messageOf(error))
        ctx.log.warn('message.not_sent', { channel_id: channelId, tries, error: errorField(error) })
        return afterFailure(error, tries)
      }
    },
    failed({ tries, payload }, error) {
      ctx.log.error('message.broken', { channel_id: payload.channelId, tries, error: errorField(error) })
      return afterFailure(error, tries)
    },
  }
}

/** The kind of job that mails a new address the link by which it accepts messages. */
export function verificationJobs(ctx: Context): JobKind<object> {
  return {
    name: VERIFICATION_JOB,
    limits: { perProcess: 2, perAccount: 1 },
    async run({ accountId, key, tries }) {
      const channel = await findChannel(ctx, accountId, key)
      const { mail, publicUrl } = ctx.config
      if (channel === undefined || channel.row.status !== 'unverified' || mail === undefined) return DONE
      const token = await newVerification(ctx.db.root, key)
      const message: Message = {
        subject: 'Do you want messages from Postrider?',
        sentences: [
          'Somebody entered this address to be told when a blog stops accepting posts.',
          'If that was you, follow the link. If not, ignore this mail: nothing else will come.',
        ],
        link: { label: 'Yes, send me messages', url: `${publicUrl}/verify-address?token=${token}` },
      }
      try {
        await sendMail(mail, mailOf(message, channel.target.to, FOOTER(publicUrl)))
        return DONE
      } catch (error) {
        ctx.log.warn('message.not_sent', { channel_id: key, tries, error: errorField(error) })
        return afterFailure(error, tries)
      }
    },
    failed: ({ tries }, error) => afterFailure(error, tries),
  }
}

/** Sends a sample over a channel now. Resolves with why it did not arrive; null if it did. */
export async function sendSample(ctx: Context, channel: Channel): Promise<string | null> {
  const at = ctx.clock.now().toISOString()
  const site = { id: '01a19b45-b7d2-7f04-a1c9-3e5d8b6f2071', name: 'This is a test: your site' }
  const event: NotificationEvent = { name: 'site.recovered', data: { site, missing: 0, since: at, until: at } }
  const error = await sendOver(ctx, channel, { id: ctx.ids.next(), at, event }).then(() => null, messageOf)
  await recordSent(ctx, channel, error)
  return error
}

const DONE: JobOutcome = { record: async () => {} }
const FOOTER = (publicUrl: string) =>
  `Sent by Postrider at ${publicUrl}. Change what you are told, or stop it, in its settings.`

function afterFailure(error: unknown, tries: number): JobOutcome {
  const retryAfterMs = error instanceof MailError && error.isFinal ? undefined : RETRY_DELAYS_MS[tries - 1]
  return retryAfterMs === undefined ? DONE : { retryAfterMs }
}

type Outgoing = { id: string; at: string; event: NotificationEvent }

/** Sends one message. Throws an Error whose message says why it did not arrive. */
async function sendOver(ctx: Context, { row, target }: Channel, { id, at, event }: Outgoing): Promise<void> {
  const { mail, publicUrl } = ctx.config
  const message = messageFor(event, publicUrl)
  if (row.kind === 'email') {
    if (mail === undefined) throw new Error('This service sends no mail any more.')
    return sendMail(mail, mailOf(message, target.to, FOOTER(publicUrl)))
  }
  const isSlack = row.kind === 'slack'
  const body = JSON.stringify(isSlack ? slackOf(message) : { event: event.name, at, data: event.data, message })
  const headers = isSlack
    ? { 'content-type': 'application/json' }
    : signedHeaders({
        key: signingKey(target.secret ?? ''),
        event: event.name,
        deliveryId: id,
        body,
        at: ctx.clock.now(),
      })
  const outcome = await ctx.egress.send({ method: 'POST', url: target.to, headers, body, deadlineMs: DEADLINE_MS })
  if (outcome.kind === 'unreachable') throw new Error(`No answer came (${outcome.cause}).`)
  if (outcome.status < 200 || outcome.status > 299) throw new Error(`The answer had the status ${outcome.status}.`)
}
