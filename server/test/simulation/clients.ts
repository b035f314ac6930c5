/**
 * The owners of sites and posts. They call the service's operations as its routes do, one at a time per post and per site,
 * and remember what they were answered: what was accepted must be on record, and must arrive.
 */
import { retry } from '../../src/analytics/operations.ts'
import type { Context } from '../../src/platform/context.ts'
import { Failure } from '../../src/platform/errors.ts'
import { changePost, createPost, removePost } from '../../src/posts/operations.ts'
import { publishPost } from '../../src/posts/publish-post.ts'
import { confirm } from '../../src/pull/operations.ts'
import { changeSite, createSite, removeSite, rotateKeys } from '../../src/sites/operations.ts'
import { CONNECTION_LOST } from './database.ts'
import { type Receiver, short, UNKNOWN } from './network.ts'
import type { Process } from './process.ts'
import type { Deed, Step, Story } from './story.ts'
import type { World } from './world.ts'

/** A request and its outcome. Times are the agenda's, walls those of the clock of the process that is asked. */
export type Call = {
  what: string
  process: Process
  postId: string | undefined
  siteId: string | undefined
  from: number
  to: number | undefined
  walls: [from: number, to: number]
  /** Unknown after a crash or a lost connection. */
  outcome: 'accepted' | 'refused' | 'unknown' | undefined
}

/**
 * What an accepted call must lead to: a delivery of the kind to each of the sites, recorded within the call. A site that was sent nothing
 * of the post yet gets a publication instead of an update, and no removal.
 */
export type Owed = {
  call: Call
  kind: 'post.published' | 'post.updated' | 'post.deleted' | undefined
  siteIds: string[]
}

/** An accepted removal: of the post's events up to `sequence`, none may start any more towards these sites, or towards any. */
export type Removal = { call: Call; sequence: number; siteIds?: ReadonlySet<string> }

/** A post whose scheduling was accepted; `cancelled` once anything else has been asked of the post. */
export type Scheduled = {
  postId: string
  audience: ReadonlySet<string> | null
  wallAt: number
  call: Call
  cancelled: boolean
  sequenceBefore: number
}

/** Whether a site is in an audience; null is every site. */
export function isFor(audience: ReadonlySet<string> | null, siteId: string): boolean {
  return audience === null || audience.has(siteId)
}

/** A post as its owner knows it. `audience`: null is every site. `sentTo` and `audience` are undefined when the owner cannot know. */
type OwnPost = {
  id: string
  status: 'draft' | 'scheduled' | 'published' | 'unknown'
  audience: ReadonlySet<string> | null | undefined
  sentTo: Set<string> | undefined
}

const RETRY_MS = 200

export class Clients {
  readonly byUrl = new Map<string, Receiver>()
  readonly calls: Call[] = []
  readonly owed: Owed[] = []
  readonly scheduled: Scheduled[] = []
  readonly removals: Removal[] = []
  readonly #world: World
  readonly #posts = new Map<number, OwnPost>()
  readonly #sites = new Map<number, Receiver>()
  readonly #queues = new Map<string, Array<() => Promise<void>>>()
  readonly #busy = new Set<string>()
  readonly #underWay = new Map<Process, Set<() => void>>()
  #titles = 0
  #addresses = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Whether no request is waiting or under way. */
  get idle(): boolean {
    return this.#busy.size === 0
  }

  /** Adds the first sites. */
  prepare({ sites, hooks }: Pick<Story, 'sites' | 'hooks'>): void {
    for (let site = 0; site < sites; site += 1) this.play({ what: 'add site', site })
    for (const hook of hooks) this.play(hook)
  }

  /** Makes all receivers well and all sites active. */
  end(): void {
    for (const receiver of this.byUrl.values()) receiver.weather = 'ok'
    for (const site of this.#sites.keys()) this.play({ what: 'resume', site })
  }

  /** Ends the calls that wait for an answer of a dead process: there will be none. */
  lostProcess(process: Process): void {
    for (const giveUp of this.#underWay.get(process) ?? []) giveUp()
    this.#underWay.delete(process)
  }

  play(deed: Deed | Step): void {
    switch (deed.what) {
      case 'weather': {
        const receiver = this.#sites.get(deed.site)
        if (receiver !== undefined) receiver.weather = deed.weather
        return
      }
      case 'create post':
      case 'update post':
        this.#queue(`post ${deed.post}`, () => this.#write(deed.post))
        break
      case 'schedule':
        this.#queue(`post ${deed.post}`, () => this.#schedule(deed.post, deed.inMs))
        break
      case 'aim':
        this.#queue(`post ${deed.post}`, () => this.#aim(deed.post, deed.sites))
        break
      case 'publish':
        this.#queue(`post ${deed.post}`, () => this.#publish(deed.post, undefined))
        break
      case 'publish to one':
        this.#queue(`post ${deed.post}`, () => this.#publish(deed.post, deed.site))
        break
      case 'unpublish':
        this.#queue(`post ${deed.post}`, () => this.#unpublish(deed.post))
        break
      case 'delete post':
        this.#queue(`post ${deed.post}`, () => this.#delete(deed.post))
        break
      case 'retry':
        this.#queue(`post ${deed.post}`, () => this.#retry(deed.post))
        break
      case 'confirm':
        this.#queue(`post ${deed.post}`, () => this.#confirm(deed.post, deed.site))
        break
      case 'add site':
        this.#queue(`site ${deed.site}`, () => this.#addSite(deed.site))
        break
      case 'pause':
      case 'resume':
        this.#queue(`site ${deed.site}`, () => this.#pause(deed.site, deed.what === 'pause'))
        break
      case 'debounce':
        this.#queue(`site ${deed.site}`, () => this.#debounce(deed.site, deed.seconds))
        break
      case 'rotate':
        this.#queue(`site ${deed.site}`, () => this.#rotate(deed.site))
        break
      case 'delete site':
        this.#queue(`site ${deed.site}`, () => this.#deleteSite(deed.site))
        break
    }
  }

  #queue(key: string, task: () => Promise<void>): void {
    this.#queues.set(key, [...(this.#queues.get(key) ?? []), task])
    if (!this.#busy.has(key)) void this.#work(key)
  }

  async #work(key: string): Promise<void> {
    this.#busy.add(key)
    for (let task = this.#queues.get(key)?.shift(); task !== undefined; task = this.#queues.get(key)?.shift())
      await task()
    this.#busy.delete(key)
  }

  /** Calls the service; `value` is undefined when the call was refused or its outcome is unknown. */
  async #call<T>(
    subject: { what: string; postId?: string | undefined; siteId?: string | undefined },
    ask: (ctx: Context) => Promise<T>,
  ): Promise<{ call: Call; value: T | undefined }> {
    const world = this.#world
    while (world.front === undefined) await new Promise<void>((resolve) => world.agenda.after(RETRY_MS, resolve))
    const { ctx, process } = world.front
    const { what, postId, siteId } = subject
    const call: Call = {
      what,
      process,
      postId,
      siteId,
      from: world.agenda.now,
      to: undefined,
      walls: [world.wallOf(process), world.wallOf(process)],
      outcome: undefined,
    }
    this.calls.push(call)
    for (const plan of this.scheduled) if (plan.postId === postId) plan.cancelled = true
    world.tell(
      `asks to ${what}${postId === undefined ? '' : ` ${short(postId)}`}${siteId === undefined ? '' : ` (site ${short(siteId)})`}`,
    )
    const value = await new Promise<T | undefined>((resolve) => {
      const end = (outcome: NonNullable<Call['outcome']>, result?: T) => {
        this.#underWay.get(process)?.delete(giveUp)
        call.outcome = outcome
        call.to = world.agenda.now
        call.walls[1] = world.wallOf(process)
        world.count(`requests ${outcome}`)
        world.tell(`${what} is ${outcome}`)
        resolve(result)
      }
      const giveUp = () => end('unknown')
      const waiting = this.#underWay.get(process) ?? new Set()
      this.#underWay.set(process, waiting.add(giveUp))
      ask(ctx).then(
        (result) => end('accepted', result),
        (error: unknown) => {
          const refused = error instanceof Failure && error.kind !== 'unavailable'
          if (!refused && !String(error).includes(CONNECTION_LOST))
            world.complain('the engine itself', `${what}: ${error instanceof Error ? error.stack : error}`)
          end(refused ? 'refused' : 'unknown')
        },
      )
    })
    return { call, value }
  }

  /** The sites that were active from the beginning of a call to its end; `uncertain` if that is unknown of some site. */
  #activeSince(from: number): { active: string[]; uncertain: boolean } {
    const receivers = [...this.byUrl.values()].filter(({ deleted }) => !(deleted.is === true && deleted.since < from))
    const steady = receivers.filter(
      ({ paused, deleted }) => paused.is !== undefined && paused.since <= from && deleted.is === false,
    )
    return {
      active: steady.filter(({ paused }) => paused.is === false).map(({ siteId }) => siteId),
      uncertain: steady.length < receivers.length,
    }
  }

  /** Which of the sites were certainly not deleted during a call. */
  #living(siteIds: Iterable<string>): string[] {
    const deleted = new Set([...this.byUrl.values()].filter((one) => one.deleted.is !== false).map((one) => one.siteId))
    return [...siteIds].filter((id) => !deleted.has(id))
  }

  /** Every second title is long, for a large content (`LARGE`). */
  #nextTitle(): string {
    this.#titles += 1
    return `Title ${this.#titles}${this.#titles % 2 === 0 ? ', and so on'.repeat(25) : ''}`
  }

  async #write(slot: number): Promise<void> {
    const { accountId } = this.#world
    const title = this.#nextTitle()
    const own = this.#posts.get(slot)
    if (own === undefined) {
      const { call, value } = await this.#call({ what: 'create a published post' }, (ctx) =>
        createPost(ctx, accountId, { title, status: 'published' }),
      )
      if (value === undefined) return
      call.postId = value.post.id
      const { active, uncertain } = this.#activeSince(call.from)
      this.owed.push({ call, kind: 'post.published', siteIds: active })
      const sentTo = uncertain ? undefined : new Set(active)
      this.#posts.set(slot, { id: value.post.id, status: 'published', audience: null, sentTo })
      return
    }
    const { call, value } = await this.#call({ what: 'update the post', postId: own.id }, (ctx) =>
      changePost(ctx, accountId, own.id, { title }, () => {}),
    )
    if (value === undefined) return
    if (own.status === 'published' && own.sentTo !== undefined)
      this.owed.push({ call, kind: 'post.updated', siteIds: this.#living(own.sentTo) })
    own.status = value.post.status
  }

  async #publish(slot: number, site: number | undefined): Promise<void> {
    const own = this.#posts.get(slot)
    const receiver = site === undefined ? undefined : this.#sites.get(site)
    if (own === undefined || (site !== undefined && receiver === undefined)) return
    const siteIds = receiver === undefined ? undefined : [receiver.siteId]
    const { call, value } = await this.#call({ what: 'publish', postId: own.id, siteId: receiver?.siteId }, (ctx) =>
      publishPost(ctx, this.#world.accountId, own.id, siteIds),
    )
    if (value === undefined) {
      if (call.outcome === 'unknown') this.#forget(own)
      return
    }
    const { active, uncertain } = this.#activeSince(call.from)
    const { audience } = own
    const aimedAt = audience === undefined ? [] : active.filter((id) => isFor(audience, id))
    this.owed.push({ call, kind: undefined, siteIds: siteIds === undefined ? aimedAt : this.#living(siteIds) })
    own.status = 'published'
    if (siteIds === undefined && (uncertain || audience === undefined)) own.sentTo = undefined
    else for (const id of siteIds ?? aimedAt) own.sentTo?.add(id)
    // What a publication to some sites makes of an audience is not told here again.
    if (siteIds !== undefined && audience !== null) own.audience = undefined
  }

  /** Changes the audience: who leaves is told that the post is gone, who comes is sent it. */
  async #aim(slot: number, sites: readonly number[] | null): Promise<void> {
    const own = this.#posts.get(slot)
    if (own === undefined) return
    const after = sites && new Set(sites.flatMap((site) => this.#sites.get(site)?.siteId ?? []))
    const { call, value } = await this.#call({ what: 'change the audience', postId: own.id }, (ctx) =>
      changePost(ctx, this.#world.accountId, own.id, { site_ids: after && [...after] }, () => {}),
    )
    if (value === undefined) {
      if (call.outcome !== 'unknown') return
      own.audience = undefined
      own.sentTo = undefined
      return
    }
    const before = own.audience
    const sentTo = own.sentTo
    own.audience = after
    if (own.status !== 'published' || sentTo === undefined) return
    const leaving = [...sentTo].filter((id) => !isFor(after, id))
    this.owed.push({ call, kind: 'post.deleted', siteIds: this.#living(leaving) })
    this.removals.push({ call, sequence: value.post.event_sequence, siteIds: new Set(leaving) })
    const { active, uncertain } = this.#activeSince(call.from)
    const coming = active.filter((id) => isFor(after, id) && before !== undefined && !isFor(before, id))
    this.owed.push({ call, kind: 'post.published', siteIds: coming })
    this.#world.count('sites that leave an audience', leaving.length)
    this.#world.count('sites that come into an audience', coming.length)
    const isKnown = before !== undefined && !uncertain
    own.sentTo = isKnown ? new Set([...sentTo, ...coming].filter((id) => !leaving.includes(id))) : undefined
  }

  #forget(own: OwnPost): void {
    own.status = 'unknown'
    own.audience = undefined
    own.sentTo = undefined
  }

  async #schedule(slot: number, inMs: number): Promise<void> {
    const { accountId } = this.#world
    const wallAt = this.#world.wall + Math.ceil(inMs)
    const wanted = { title: this.#nextTitle(), status: 'scheduled', scheduled_at: new Date(wallAt) } as const
    const own = this.#posts.get(slot)
    if (own !== undefined && own.status !== 'draft') return
    const { call, value } = await this.#call({ what: 'schedule a post', postId: own?.id }, (ctx) =>
      own === undefined ? createPost(ctx, accountId, wanted) : changePost(ctx, accountId, own.id, wanted, () => {}),
    )
    if (value === undefined) {
      if (own !== undefined && call.outcome === 'unknown') this.#forget(own)
      return
    }
    call.postId = value.post.id
    const audience = own === undefined ? null : own.audience
    this.#posts.set(slot, { id: value.post.id, status: 'unknown', audience, sentTo: undefined })
    if (audience === undefined) return
    const { id: postId, event_sequence: sequenceBefore } = value.post
    this.scheduled.push({ postId, audience, wallAt, call, cancelled: false, sequenceBefore })
  }

  async #unpublish(slot: number): Promise<void> {
    const own = this.#posts.get(slot)
    if (own === undefined) return
    const { call, value } = await this.#call({ what: 'unpublish', postId: own.id }, (ctx) =>
      changePost(ctx, this.#world.accountId, own.id, { status: 'draft' }, () => {}),
    )
    if (value === undefined) {
      if (call.outcome === 'unknown') this.#forget(own)
      return
    }
    this.removals.push({ call, sequence: value.post.event_sequence })
    if (own.status === 'published' && own.sentTo !== undefined)
      this.owed.push({ call, kind: 'post.deleted', siteIds: this.#living(own.sentTo) })
    own.status = 'draft'
    own.sentTo = new Set()
  }

  async #delete(slot: number): Promise<void> {
    const own = this.#posts.get(slot)
    if (own === undefined) return
    const { call } = await this.#call({ what: 'delete the post', postId: own.id }, (ctx) =>
      removePost(ctx, this.#world.accountId, own.id, () => {}),
    )
    if (call.outcome === 'unknown') return this.#forget(own)
    this.#posts.delete(slot)
    if (call.outcome === 'accepted') this.removals.push({ call, sequence: Number.POSITIVE_INFINITY })
    if (call.outcome === 'accepted' && own.status === 'published' && own.sentTo !== undefined)
      this.owed.push({ call, kind: 'post.deleted', siteIds: this.#living(own.sentTo) })
  }

  async #retry(slot: number): Promise<void> {
    const own = this.#posts.get(slot)
    if (own === undefined) return
    const { value } = await this.#call({ what: 'retry', postId: own.id }, (ctx) =>
      retry(ctx, this.#world.accountId, own.id, undefined),
    )
    this.#world.count('deliveries queued again', value ?? 0)
  }

  async #confirm(slot: number, site: number): Promise<void> {
    const own = this.#posts.get(slot)
    const receiver = this.#sites.get(site)
    if (own === undefined || receiver === undefined) return
    const { siteId } = receiver
    const report = {
      postId: own.id,
      siteId,
      status: 'delivered',
      errorMessage: undefined,
      metadata: undefined,
      version: undefined,
      publishedUrl: undefined,
    } as const
    const { call } = await this.#call({ what: 'confirm', postId: own.id, siteId }, (ctx) =>
      confirm(ctx, { siteId, accountId: this.#world.accountId }, report),
    )
    if (call.outcome !== 'refused' && own.sentTo?.has(siteId) !== true) own.sentTo = undefined
  }

  async #addSite(slot: number): Promise<void> {
    if (this.#sites.has(slot)) return
    this.#addresses += 1
    const url = `https://site-${this.#addresses}.example/hook`
    // The site may be sent something before its owner learns of it, or exist without the owner ever knowing: a receiver at its
    // address takes what comes.
    const unknown = { secretUnknown: true, paused: { is: undefined, since: 0 } }
    this.byUrl.set(url, { ...this.#receiver(UNKNOWN, slot, url), ...unknown })
    const { call, value } = await this.#call({ what: 'add a site' }, (ctx) =>
      createSite(ctx, this.#world.accountId, {
        name: `Site ${slot}`,
        url,
        webhookUrl: url,
        platform: 'custom',
        recovery: this.#world.story.recovering.includes(slot) ? 'automatic' : 'manual',
      }),
    )
    if (value === undefined) {
      if (call.outcome === 'unknown') this.#world.count('sites of unknown fate')
      return
    }
    const receiver = this.#receiver(value.row.id, slot, url)
    receiver.secrets.push({ text: value.webhookSecret, until: undefined })
    this.byUrl.set(url, receiver)
    this.#sites.set(slot, receiver)
  }

  #receiver(siteId: string, slot: number, url: string): Receiver {
    const since = this.#world.agenda.now
    return {
      siteId,
      slot,
      url,
      weather: 'ok',
      secrets: [],
      secretUnknown: false,
      paused: { is: false, since },
      debounce: { is: null, since },
      deleted: { is: false, since },
    }
  }

  async #pause(slot: number, paused: boolean): Promise<void> {
    const receiver = this.#sites.get(slot)
    if (receiver === undefined || receiver.paused.is === paused) return
    receiver.paused = { is: undefined, since: this.#world.agenda.now }
    const { call } = await this.#call(
      { what: paused ? 'pause the site' : 'resume the site', siteId: receiver.siteId },
      (ctx) => changeSite(ctx, this.#world.accountId, receiver.siteId, { status: paused ? 'inactive' : 'active' }),
    )
    receiver.paused = { is: call.outcome === 'accepted' ? paused : undefined, since: this.#world.agenda.now }
  }

  /** Makes a site a build hook with this debounce; null: one that gets webhooks. */
  async #debounce(slot: number, seconds: number | null): Promise<void> {
    const receiver = this.#sites.get(slot)
    if (receiver === undefined) return
    receiver.debounce = { is: undefined, since: this.#world.agenda.now }
    const { call } = await this.#call({ what: 'change the kind of the site', siteId: receiver.siteId }, (ctx) =>
      changeSite(ctx, this.#world.accountId, receiver.siteId, {
        kind: seconds === null ? 'webhook' : 'build_hook',
        ...(seconds === null ? {} : { debounceSeconds: seconds }),
      }),
    )
    receiver.debounce = { is: call.outcome === 'accepted' ? seconds : undefined, since: this.#world.agenda.now }
  }

  async #rotate(slot: number): Promise<void> {
    const receiver = this.#sites.get(slot)
    if (receiver === undefined) return
    // The new secret is in use from the commit on, which comes before the answer.
    receiver.secretUnknown = true
    const { call, value } = await this.#call({ what: 'rotate the keys', siteId: receiver.siteId }, (ctx) =>
      rotateKeys(ctx, this.#world.accountId, receiver.siteId),
    )
    receiver.secretUnknown = value === undefined && call.outcome !== 'refused'
    const last = receiver.secrets.at(-1)
    if (value === undefined || last === undefined) return
    last.until = this.#world.agenda.now
    receiver.secrets.push({ text: value.webhookSecret, until: undefined })
  }

  async #deleteSite(slot: number): Promise<void> {
    const receiver = this.#sites.get(slot)
    if (receiver === undefined) return
    receiver.deleted = { is: undefined, since: this.#world.agenda.now }
    const { call } = await this.#call({ what: 'delete the site', siteId: receiver.siteId }, (ctx) =>
      removeSite(ctx, this.#world.accountId, receiver.siteId),
    )
    const since = this.#world.agenda.now
    // Refused means that the site was gone: an earlier request of unknown outcome had deleted it.
    if (call.outcome !== 'unknown') {
      receiver.deleted = { is: true, since }
      this.#sites.delete(slot)
    }
  }
}
