/**
 * Idempotency keys: a POST that is repeated with its key gets the first request's answer.
 *
 * The row is written before the work begins, so of two concurrent requests only one works. Atomic work, which has no effect before
 * its first commit, begins at the same time as the row is written: its commit waits for the row, and if another request holds the
 * key, the work leaves nothing behind. The first transaction of the work marks the row as committed, together with what it does: if
 * the process dies before the answer is kept, the key tells that the work was done, and it is not done again. Work that failed
 * without an effect leaves the key free.
 *
 * A request that works for long says now and then that it is alive, and keeps its key. One that has not said so for a minute counts as
 * abandoned, and its key may be taken over. If it is alive all the same (its process was suspended), the time of its claim is its
 * fence: it can no longer commit, nor keep its answer.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { plusMs } from '../clock.ts'
import type { Context } from '../context.ts'
import { seal, unsealIfItOpens } from '../crypto.ts'
import { beforeFirstCommit, type Db, missingValue, type Tx } from '../db/database.ts'
import { prepared } from '../db/statements.ts'
import { Failure, fail, invalid } from '../errors.ts'
import type { Reply } from '../http/endpoint.ts'
import { errorField } from '../log.ts'
import './tables.ts'

const KEPT_MS = 24 * 3_600_000
/** A request that has not said for this long that it is alive counts as abandoned; its key may be taken over. */
const ABANDONED_MS = 60_000
/** How often a request says that it is alive: a few times before it counts as abandoned. */
const ALIVE_EVERY_MS = 15_000
/** When the request that holds a key was last heard of: when it claimed the key, or last said that it was alive. */
const HEARD_AT = sql<Date>`greatest(alive_at, begun_at)`

const FIELD = 'Idempotency-Key'
const REPLAYED = { 'Idempotent-Replayed': 'true' }

/** A request with a key. `scope`: whose key; `path` and `body`: what must be the same when it is repeated. */
export type KeyedRequest = { scope: string; key: string; path: string; body: unknown }

type Needs = Pick<Context, 'db' | 'clock' | 'keys' | 'log'>

/** A claim to a key; `request` is a hash, `now` the time of the claim. */
type Claim = { scope: string; key: string; request: Buffer; now: Date }

/** `atomic`: the work has no effect before its first transaction commits. */
export type Work = { atomic: boolean; run(): Promise<Reply> }

/**
 * Answers a request with a key: by `work`, or with the kept answer. Throws `invalid` for a bad key, `conflict` when the key was
 * used for another request, or when its first request is still running or lost its answer.
 */
export async function answerOnce(ctx: Needs, request: KeyedRequest, work: Work): Promise<Reply> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key))
    throw invalid(FIELD, 'An idempotency key must have 1 to 255 visible ASCII characters.')
  const { scope, key, path, body } = request
  const hash = createHash('sha256')
    .update(JSON.stringify([path, body]))
    .digest()
  const wanted = { scope, key, request: hash, now: ctx.clock.now() }
  const { ours } = await sendClaim(ctx.db.root, wanted)
  if (work.atomic) {
    const outcome = await carryOut(ctx, wanted, ours, work)
    if (await ours) return finish(ctx, wanted, outcome)
  }
  const kept = await begin(ctx, wanted, await ours)
  return kept ?? finish(ctx, wanted, await carryOut(ctx, wanted, Promise.resolve(true), work))
}

type Outcome = PromiseSettledResult<Reply>

/**
 * Sends a claim and waits until it has a connection, but not for its result: work that begins meanwhile holds a connection of its
 * own while it waits for the result, and must not take the last one, which the claim needs.
 */
async function sendClaim(db: Db, wanted: Claim): Promise<{ ours: Promise<boolean> }> {
  const connected = Promise.withResolvers<void>()
  const ours = db.connection().execute((connection) => {
    connected.resolve()
    return claim(connection, wanted)
  })
  await Promise.race([connected.promise, ours])
  return { ours }
}

/** Does the work. `ours`: whether this request holds the key; if not, the work cannot commit. */
async function carryOut(ctx: Needs, wanted: Claim, ours: Promise<boolean>, { run }: Work): Promise<Outcome> {
  const hook = async (tx: Tx) => {
    if (!(await ours)) throw new Error('the idempotency key is held by another request')
    await mark(tx, wanted)
  }
  const over = new AbortController()
  void stayAlive(ctx, wanted, over.signal)
  const [outcome] = await Promise.allSettled([beforeFirstCommit(hook, run)])
  over.abort()
  return outcome
}

/** Says now and then that the request which holds the key is alive, until it is `over`. */
async function stayAlive({ db, clock, log }: Needs, wanted: Claim, over: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(ALIVE_EVERY_MS, over)
    if (over.aborted) return
    const said = updateClaim(db.root, wanted).set({ alive_at: clock.now() }).execute()
    await said.catch((error: unknown) => log.warn('idempotency.claim_not_renewed', { error: errorField(error) }))
  }
}

/** Keeps the answer under the key, which this request holds, and returns it. */
async function finish(ctx: Needs, wanted: Claim, outcome: Outcome): Promise<Reply> {
  if (outcome.status === 'fulfilled') {
    await keep(ctx, wanted, outcome.value)
    return outcome.value
  }
  const error: unknown = outcome.reason
  // Another request has taken over the key: its answer counts.
  if (isTakenOver(error))
    throw fail(
      'conflict',
      'A later request with the same idempotency key took the place of this one, which took too long and did nothing.',
      { field: FIELD, cause: error },
    )
  // A temporary refusal is not kept: the request is to be tried again, as the refusal says.
  if (error instanceof Failure && error.status < 500 && error.kind !== 'rate_limited') {
    await keep(ctx, wanted, { status: error.status, body: error.toBody(), headers: error.headers })
  } else {
    await forget(ctx.db.root, wanted).catch(() => {})
  }
  throw error
}

/** Claims the key for this request, or finds the answer that is kept under it. `claimed`: whether the request holds it already. */
async function begin(ctx: Needs, wanted: Claim, claimed: boolean): Promise<Reply | undefined> {
  if (claimed) return undefined
  const { db } = ctx
  const { scope, key, request, now } = wanted
  const first = await db.root
    .selectFrom('idempotency_keys')
    .selectAll()
    .select(HEARD_AT.as('heard_at'))
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
  if (first === undefined) return begin(ctx, wanted, await claim(db.root, wanted))
  if (!first.request.equals(request))
    throw fail('conflict', 'This idempotency key was used for another request. Use a new one.', { field: FIELD })
  const body = first.body === null ? undefined : unsealIfItOpens(ctx.keys, associatedData(scope, key), first.body)
  const lost = first.body !== null && body === undefined
  if (first.state === 'answered' && !lost) {
    const kept = body === undefined ? {} : { body: JSON.parse(body) }
    return { status: first.status ?? 200, headers: { ...first.headers, ...REPLAYED }, ...kept }
  }
  if (lost || (first.state === 'committed' && first.heard_at <= plusMs(now, -ABANDONED_MS))) {
    throw fail(
      'conflict',
      'The first request with this idempotency key was carried out, but its response was lost. Check what it did.',
      { field: FIELD },
    )
  }
  if (first.state === 'running' && (await takeOver(db.root, wanted))) return undefined
  throw fail('conflict', 'The first request with this idempotency key is still running. Try again shortly.', {
    field: FIELD,
    headers: { 'Retry-After': '1' },
  })
}

/**
 * Inserts a key as running; false if it exists already. The commit does not wait for the disk: the work's own commit,
 * which is later, flushes the claim too.
 */
async function claim(db: Db, { scope, key, request, now }: Claim): Promise<boolean> {
  const { numAffectedRows } = await prepared(sql`
    insert into idempotency_keys as k (scope, key, request, state, begun_at, headers)
    select ${scope}, ${key}, ${request}::bytea, 'running', ${now}::timestamptz, '{}'
    from (select set_config('synchronous_commit', 'off', true)) as unsynced
    on conflict (scope, key) do update set request = excluded.request, state = excluded.state, begun_at = excluded.begun_at,
      alive_at = null, status = null, headers = excluded.headers, body = null
    where k.begun_at <= ${plusMs(now, -KEPT_MS)}
  `).execute(db)
  return numAffectedRows === 1n
}

/** Removes the kept answers of a scope. */
export async function forgetAnswers(tx: Tx, scope: string): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('scope', '=', scope).execute()
}

/** The place to which a kept answer is sealed, since it may hold secrets. */
export function associatedData(scope: string, key: string): string {
  return `idempotency_keys.body:${scope}:${key}`
}

async function takeOver(db: Db, { scope, key, now }: Claim): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({ begun_at: now, alive_at: null })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('state', '=', 'running')
    .where(HEARD_AT, '<=', plusMs(now, -ABANDONED_MS))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/**
 * Marks the key as committed, within the work's transaction. If the database server lost the claim in a crash, it is inserted again. If
 * another request holds the claim by now, the state becomes null, which the table refuses: so the commit need not wait for a result.
 */
async function mark(tx: Tx, { scope, key, request, now }: Claim): Promise<void> {
  await prepared(sql`
    insert into idempotency_keys as k (scope, key, request, state, begun_at, headers)
    values (${scope}, ${key}, ${request}::bytea, 'committed', ${now}::timestamptz, '{}')
    on conflict (scope, key) do update
    set state = case when k.state = 'running' and k.begun_at = excluded.begun_at then excluded.state end
  `).execute(tx)
}

function isTakenOver(error: unknown): boolean {
  return missingValue(error) === 'idempotency_keys.state'
}

/** An update of the key while this claim to it holds. */
function updateClaim(db: Db, { scope, key, now }: Claim) {
  return db
    .updateTable('idempotency_keys')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('begun_at', '=', now)
}

/** Keeps an answer. If that fails, the answer is still the request's: only a repeated one will not get it. */
async function keep({ db, keys, log }: Needs, wanted: Claim, { status, body, headers }: Reply): Promise<void> {
  const { scope, key } = wanted
  const kept = updateClaim(db.root, wanted)
    .set({
      state: 'answered',
      status,
      headers: JSON.stringify(headers ?? {}),
      body: body === undefined ? null : seal(keys, associatedData(scope, key), JSON.stringify(body)),
    })
    .execute()
  await kept.catch((error: unknown) => log.warn('idempotency.answer_not_kept', { error: errorField(error) }))
}

/** Deletes the key of work that had no effect. */
async function forget(db: Db, { scope, key, now }: Claim): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('state', '=', 'running')
    .where('begun_at', '=', now)
    .execute()
}

/** How many keys are removed at once: each has an answer, which may be as large as a post. */
const REMOVED_AT_ONCE = 500

/** Removes some of the keys that have been kept for a day; returns whether there may be more. */
export async function removeOldKeys(db: Db, now: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from idempotency_keys where (scope, key) in (
      select scope, key from idempotency_keys where begun_at <= ${plusMs(now, -KEPT_MS)} limit ${REMOVED_AT_ONCE} for update skip locked
    )
  `.execute(db)
  return numAffectedRows === BigInt(REMOVED_AT_ONCE)
}
