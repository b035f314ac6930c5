/** The channels over which people are told: what an account may do with them. */
import { createWebhookSecret, masked } from '../destinations/index.ts'
import type { Context } from '../platform/context.ts'
import { createLinkToken, type Keys, linkTokenHash, seal, unseal } from '../platform/crypto.ts'
import type { Db, Tx } from '../platform/db/database.ts'
import { fail, invalid } from '../platform/errors.ts'
import { enqueueJob } from '../platform/jobs/queue.ts'
import { assertKeyInUse } from '../platform/secret-key.ts'
import type { EventName } from './events.ts'
import type { ChannelKind, ChannelRow } from './tables.ts'

/** More than anybody reads. */
const MOST_CHANNELS = 20

/** The job that asks a new address whether it wants messages. */
export const VERIFICATION_JOB = 'verify-address'

/** Where messages go: an e-mail address or a URL. `secret` signs requests to a webhook. */
export type Target = { to: string; secret?: string }

/** A channel with its target opened. */
export type Channel = { row: ChannelRow; target: Target }

type Needs = Pick<Context, 'changes' | 'clock' | 'config' | 'db' | 'egress' | 'ids' | 'keys' | 'signals'>

const NO_CHANNEL = 'There is no such notification channel.'

/** The account's channels, oldest first. */
export async function channelsOf({ db, keys }: Pick<Needs, 'db' | 'keys'>, accountId: string): Promise<Channel[]> {
  const rows = await db.root
    .selectFrom('notification_channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute()
  return rows.map((row) => opened(keys, row))
}

/** One channel of the account, if there is one. */
export async function findChannel(
  ctx: Pick<Needs, 'db' | 'keys'>,
  accountId: string,
  id: string,
): Promise<Channel | undefined> {
  return (await channelsOf(ctx, accountId)).find(({ row }) => row.id === id.toLowerCase())
}

/** The same. Throws `not_found` when there is none. */
export async function channelOf(ctx: Pick<Needs, 'db' | 'keys'>, accountId: string, id: string): Promise<Channel> {
  const channel = await findChannel(ctx, accountId, id)
  if (channel === undefined) throw fail('not_found', NO_CHANNEL)
  return channel
}

/**
 * Adds a channel. An e-mail address is sent a link first, and nothing else until somebody has followed it. Throws `invalid` for a
 * target that cannot be called, `conflict` when there are too many, and `unavailable` for e-mail where the service sends none.
 */
export async function addChannel(
  ctx: Needs,
  accountId: string,
  { kind, target, events }: { kind: ChannelKind; target: string; events: EventName[] },
): Promise<Channel> {
  assertTarget(ctx, kind, target)
  const id = ctx.ids.next()
  const secret = kind === 'webhook' ? { secret: createWebhookSecret() } : {}
  return ctx.db.tx(async (tx) => {
    const row = await tx
      .insertInto('notification_channels')
      .values({
        id,
        account_id: accountId,
        kind,
        sealed: sealedTarget(ctx.keys, id, { to: target, ...secret }),
        events,
        status: kind === 'email' ? 'unverified' : 'active',
        last_error: null,
        created_at: ctx.clock.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await assertKeyInUse(tx, ctx.keys)
    if ((await countChannels(tx, accountId)) > MOST_CHANNELS)
      throw fail('conflict', `An account can have at most ${MOST_CHANNELS} notification channels. Remove one first.`)
    if (kind === 'email') await askAddress(ctx, tx, row)
    noteChannel(ctx, tx, row)
    return opened(ctx.keys, row)
  })
}

/** Changes where a channel's messages go, or what it is told. A new e-mail address is asked first, like a new channel's. */
export async function changeChannel(
  ctx: Needs,
  accountId: string,
  id: string,
  { target, events }: { target?: string | undefined; events?: EventName[] | undefined },
): Promise<Channel> {
  const { row, target: before } = await channelOf(ctx, accountId, id)
  // A client may send back what it got.
  const isMoved = target !== undefined && target !== before.to && target !== masked(before.to)
  if (isMoved) assertTarget(ctx, row.kind, target)
  return ctx.db.tx(async (tx) => {
    const moved = isMoved && {
      sealed: sealedTarget(ctx.keys, row.id, { ...before, to: target }),
      status: row.kind === 'email' ? ('unverified' as const) : ('active' as const),
      last_error: null,
    }
    const changed = await tx
      .updateTable('notification_channels')
      .set({ id: row.id, ...moved, ...(events === undefined ? {} : { events }) })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirst()
    if (changed === undefined) throw fail('not_found', NO_CHANNEL)
    await assertKeyInUse(tx, ctx.keys)
    if (isMoved && row.kind === 'email') await askAddress(ctx, tx, changed)
    noteChannel(ctx, tx, changed)
    return opened(ctx.keys, changed)
  })
}

/** Removes a channel; what waits to be sent over it is dropped. Throws `not_found`. */
export async function removeChannel(ctx: Needs, accountId: string, id: string): Promise<void> {
  const { row } = await channelOf(ctx, accountId, id)
  await ctx.db.tx(async (tx) => {
    await tx.deleteFrom('notification_channels').where('id', '=', row.id).execute()
    noteChannel(ctx, tx, row)
  })
}

/** Removes all channels of an account. */
export async function removeChannels(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('notification_channels').where('account_id', '=', accountId).execute()
}

/** Has an unverified address sent the link again. */
export async function askAgain(ctx: Needs, { row }: Channel): Promise<void> {
  await ctx.db.tx((tx) => askAddress(ctx, tx, row))
}

/** A token for the link in the mail to an unverified address, which replaces the one before. */
export async function newVerification(db: Db, id: string): Promise<string> {
  const token = createLinkToken()
  await db
    .updateTable('notification_channels')
    .set({ verify_hash: linkTokenHash(token) })
    .where('id', '=', id)
    .execute()
  return token
}

/** Whoever has the mail wants messages: the channel of the token is active from now on. Throws `not_found` for any other token. */
export async function verifyAddress(ctx: Needs, token: string): Promise<void> {
  await ctx.db.tx(async (tx) => {
    const row = await tx
      .updateTable('notification_channels')
      .set({ status: 'active', verify_hash: null })
      .where('verify_hash', '=', linkTokenHash(token))
      .returningAll()
      .executeTakeFirst()
    if (row === undefined)
      throw fail('not_found', 'This link is not valid, or was used already. Ask for another one in the settings.')
    noteChannel(ctx, tx, row)
  })
}

/** Records whether the last message over a channel arrived; `error` says why it did not. */
export async function recordSent(ctx: Needs, { row }: Channel, error: string | null): Promise<void> {
  if (row.last_error === error && (row.status === 'failing') === (error !== null)) return
  await ctx.db.tx(async (tx) => {
    const changed = await tx
      .updateTable('notification_channels')
      .set({ status: error === null ? 'active' : 'failing', last_error: error })
      .where('id', '=', row.id)
      .where('status', '<>', 'unverified')
      .returningAll()
      .executeTakeFirst()
    if (changed !== undefined) noteChannel(ctx, tx, changed)
  })
}

/** The account's verified channels that are told of an event. */
export async function listenersTo(tx: Tx, accountId: string, event: EventName): Promise<string[]> {
  const rows = await tx
    .selectFrom('notification_channels')
    .select(['id', 'events'])
    .where('account_id', '=', accountId)
    .where('status', '<>', 'unverified')
    .orderBy('id')
    .execute()
  return rows.filter(({ events }) => events.includes(event)).map(({ id }) => id)
}

/** Seals the targets of all channels with `to` instead of `from`. */
export async function resealChannels(tx: Tx, from: Keys, to: Keys): Promise<void> {
  for (const { id, sealed } of await tx
    .selectFrom('notification_channels')
    .select(['id', 'sealed'])
    .forUpdate()
    .execute())
    await tx
      .updateTable('notification_channels')
      .set({ sealed: seal(to, associatedData(id), unseal(from, associatedData(id), sealed)) })
      .where('id', '=', id)
      .execute()
}

async function countChannels(tx: Tx, accountId: string): Promise<number> {
  const rows = await tx.selectFrom('notification_channels').select('id').where('account_id', '=', accountId).execute()
  return rows.length
}

async function askAddress(ctx: Needs, tx: Tx, { id, account_id }: ChannelRow): Promise<void> {
  await enqueueJob(ctx, tx, { kind: VERIFICATION_JOB, key: id, accountId: account_id, payload: {} })
}

function assertTarget({ config, egress }: Needs, kind: ChannelKind, target: string): void {
  if (kind === 'email') {
    if (config.mail === undefined)
      throw fail(
        'unavailable',
        'This service cannot send mail. Its operator can turn that on with SMTP_URL and MAIL_FROM.',
      )
    if (!/^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]+\.[^\s@<>,;:".]{2,}$/.test(target) || target.length > 254)
      throw invalid('target', 'The target of an e-mail channel must be an address like ada@example.com.')
    return
  }
  const verdict = egress.check(target)
  if (!verdict.ok)
    throw invalid('target', `This address cannot be called: ${verdict.reason}. Use a public https address.`)
}

const associatedData = (id: string) => `notification_channels.sealed:${id}`

function sealedTarget(keys: Keys, id: string, target: Target): Buffer {
  return seal(keys, associatedData(id), JSON.stringify(target))
}

function opened(keys: Keys, row: ChannelRow): Channel {
  return { row, target: JSON.parse(unseal(keys, associatedData(row.id), row.sealed)) }
}

function noteChannel(ctx: Pick<Needs, 'changes'>, tx: Tx, { id, account_id }: ChannelRow): void {
  ctx.changes.note(tx, [{ owner: account_id, kind: 'channel', id }])
}
