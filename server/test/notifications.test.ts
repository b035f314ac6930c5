/** Telling people: over mail, chats and webhooks, once for each trouble, and when it is over. */
import { createClient, type PostriderClient, type SiteWithSecrets, verifyWebhook } from '@postrider/sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MailServer, startMailServer } from './support/mail-server.ts'
import { type Receiver, startReceiver } from './support/receiver.ts'
import { connectSite, newAccount, startService, type TestService } from './support/service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let mailServer: MailServer
let service: TestService
beforeAll(async () => {
  mailServer = await startMailServer()
  service = await startService({ SMTP_URL: mailServer.url, MAIL_FROM: 'Postrider <post@example.com>' })
})
afterAll(async () => {
  await service.stop()
  await mailServer.close()
})

let chat: Receiver
let host: Receiver
let client: PostriderClient
let site: SiteWithSecrets
beforeEach(async () => {
  chat = await startReceiver()
  host = await startReceiver()
  mailServer.mails.length = 0
  client = await newAccount(service)
  site = await connectSite(client, host, 'Kitchen & <garden>')
  return async () => {
    await chat.close()
    await host.close()
  }
})

const ready = () => service.drain()
const linkIn = (text: string | undefined) => /https?:\/\/\S+/.exec(text ?? '')?.[0] ?? ''
const tokenIn = (text: string | undefined) => new URL(linkIn(text)).searchParams.get('token') ?? ''
const addChat = () => client.notifications.create({ kind: 'slack', target: chat.url })
const incidents = async () => (await client.incidents()).incidents
const said = () => chat.received.map(({ json }) => String(json.text))
const publish = async (title: string) => (await client.posts.create({ title, status: 'published' })).id
/** Lets a delivery fail for good: four attempts. */
async function failFor(title: string): Promise<void> {
  host.answerNext(503, 503, 503, 503)
  await publish(title)
  await ready()
  for (const wait of [30_000, 5 * MINUTE, 30 * MINUTE]) await service.advance(wait)
}

describe('an e-mail channel', () => {
  it('is asked first, and gets nothing else until somebody has followed the link', async () => {
    const channel = await client.notifications.create({ kind: 'email', target: 'ada@example.org' })
    expect(channel).toMatchObject({ status: 'unverified', last_error: null })
    await ready()
    expect(mailServer.mails).toMatchObject([{ to: 'ada@example.org', from: 'post@example.com' }])
    await failFor('One')
    expect(mailServer.mails).toHaveLength(1)
    await createClient({ baseUrl: service.url }).notifications.verify(tokenIn(mailServer.mails[0]?.text))
    expect((await client.notifications.list()).channels).toMatchObject([{ id: channel.id, status: 'active' }])
    await client.notifications.test(channel.id)
    expect(mailServer.mails).toHaveLength(2)
    expect(mailServer.mails[1]?.raw).toMatch(/Auto-Submitted: auto-generated/i)
    await expect(client.notifications.verify(tokenIn(mailServer.mails[0]?.text))).rejects.toMatchObject({ status: 404 })
  })

  it('says in plain words what happened, as text and as HTML, with one link', async () => {
    await client.notifications.create({ kind: 'email', target: 'ada@example.org' })
    await ready()
    await client.notifications.verify(tokenIn(mailServer.mails[0]?.text))
    await failFor('One')
    const mail = mailServer.mails[1]
    expect(mail?.subject).toBe('Kitchen & <garden> is not accepting posts')
    expect(mail?.text).toContain('Your site answered 503')
    expect(linkIn(mail?.text)).toContain(`/sites/${site.id}`)
    expect(mail?.raw).toContain('Kitchen &amp; &lt;garden&gt;')
  })

  it('that moves is asked again; its new mails wait for that', async () => {
    const channel = await client.notifications.create({ kind: 'email', target: 'ada@example.org' })
    await ready()
    await client.notifications.verify(tokenIn(mailServer.mails[0]?.text))
    const moved = await client.notifications.update(channel.id, {
      target: 'grace@example.org',
      events: ['site.failing'],
    })
    expect(moved).toMatchObject({ status: 'unverified', target: 'grace@example.org', events: ['site.failing'] })
    await ready()
    expect(mailServer.mails.at(-1)).toMatchObject({ to: 'grace@example.org' })
  })

  it('is refused with the name of the field when it is no address', async () => {
    for (const target of [
      'ada',
      'ada@host',
      'a b@example.com',
      'ada@example.com, grace@example.com',
      'x@y.z\r\nBcc: a@b.cd',
    ])
      await expect(client.notifications.create({ kind: 'email', target })).rejects.toMatchObject({
        status: 400,
        field: 'target',
      })
  })

  it('is sent a mail again that the server would not take for now', async () => {
    mailServer.refuseNext(451)
    await client.notifications.create({ kind: 'email', target: 'ada@example.org' })
    await ready()
    expect(mailServer.mails).toHaveLength(0)
    await service.advance(30_000)
    expect(mailServer.mails).toHaveLength(1)
  })
})

describe('a site in trouble', () => {
  it('is one message, however many deliveries fail within the hour, and one when it is fine again', async () => {
    await addChat()
    await failFor('One')
    expect(said()).toHaveLength(1)
    expect(said()[0]).toContain('*Kitchen &amp; &lt;garden&gt; is not accepting posts*')
    for (let count = 0; count < 40; count += 1) host.answerNext(503)
    const titles = Array.from({ length: 10 }, (_, index) => `Post ${index}`)
    for (const title of titles) await publish(title)
    await ready()
    for (const wait of [30_000, 5 * MINUTE, 10 * MINUTE]) await service.advance(wait)
    expect(said()).toHaveLength(1)
    expect((await incidents())[0]).toMatchObject({ closed_at: null, site: { id: site.id } })

    await service.advance(HOUR)
    expect(said()).toHaveLength(2)
    expect(said()[1]).toContain('10 more deliveries failed')
    await service.advance(23 * HOUR)
    expect(said()).toHaveLength(2) // nothing more has failed

    host.forgetAnswers()
    await publish('It works again')
    await ready()
    expect(said()).toHaveLength(2)
    await service.advance(2 * MINUTE)
    expect(said()).toHaveLength(3)
    expect(said()[2]).toContain('accepts posts again')
    expect(said()[2]).toContain('It still lacks 11 posts')
    expect((await incidents())[0]).toMatchObject({ failures: 11 })
    expect((await incidents())[0]?.closed_at).not.toBeNull()
  })

  it('is told after five failed attempts in a row, before anything has failed for good', async () => {
    await addChat()
    host.answerNext(500, 500, 500, 500, 500, 500)
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) await publish(title)
    await ready()
    await service.advance(30_000)
    expect(said()).toHaveLength(1)
    expect((await incidents())[0]).toMatchObject({ failures: 0 })
  })

  it('that fails again within the hour is not told again', async () => {
    await addChat()
    await failFor('One')
    await publish('Arrives')
    await ready()
    await service.advance(2 * MINUTE)
    expect(said()).toHaveLength(2)
    await failFor('Two')
    expect(said()).toHaveLength(2)
    expect(await incidents()).toHaveLength(1)
  })

  it('that comes back by itself is told of again once it lacks nothing', async () => {
    await client.sites.update(site.id, { recovery: 'automatic' })
    await addChat()
    await failFor('One')
    await failFor('Two')
    expect(said()).toHaveLength(1)
    await publish('It works again')
    for (let step = 0; step < 36; step += 1) await service.advance(5_000)
    expect(said()).toHaveLength(2)
    expect(said()[1]).toContain('is up to date again')
    expect(said()[1]).toContain('Every post has arrived.')
  })

  it('that is paused is over without a word', async () => {
    await addChat()
    await failFor('One')
    await client.sites.update(site.id, { status: 'inactive' })
    await ready()
    expect(said()).toHaveLength(1)
    expect((await incidents())[0]?.closed_at).not.toBeNull()
  })
})

describe('a channel that fails', () => {
  it('holds up no other, is shown as failing, and gets its message later', async () => {
    const broken = await startReceiver()
    const failing = await client.notifications.create({ kind: 'slack', target: broken.url })
    await addChat()
    broken.answerNext(500)
    await failFor('One')
    expect(said()).toHaveLength(1)
    const shown = async () => (await client.notifications.list()).channels.find(({ id }) => id === failing.id)
    expect(await shown()).toMatchObject({ status: 'failing', last_error: 'The answer had the status 500.' })
    await service.advance(30_000)
    expect(broken.received).toHaveLength(2)
    expect(await shown()).toMatchObject({ status: 'active', last_error: null })
    await broken.close()
  })

  it('shows nothing of the address of a chat', async () => {
    const { target } = await addChat()
    expect(target).toBe(`${new URL(chat.url).origin}/***`)
    expect(JSON.stringify(service.logged)).not.toContain(new URL(chat.url).pathname)
  })
})

describe('a webhook channel', () => {
  it('is signed like the webhooks to sites', async () => {
    const { secret = '' } = await client.notifications.create({ kind: 'webhook', target: chat.url })
    await failFor('One')
    const [request] = chat.received
    expect(request?.json).toMatchObject({ event: 'site.failing', data: { site: { id: site.id } } })
    const received = { body: request?.body ?? '', headers: request?.headers as Record<string, string> }
    await verifyWebhook({ secret, ...received, now: service.clock.now().getTime() })
    await expect(
      verifyWebhook({ secret: site.webhook_secret, ...received, now: service.clock.now().getTime() }),
    ).rejects.toThrow()
  })
})

describe('what else is told', () => {
  it('a post that was published late, and how many with it', async () => {
    await addChat()
    const scheduled_at = new Date(service.clock.now().getTime() + HOUR).toISOString()
    for (const title of ['Late one', 'Late two', 'Late three'])
      await client.posts.create({ title, status: 'scheduled', scheduled_at })
    await service.advance(2 * HOUR)
    expect(said()).toHaveLength(1)
    expect(said()[0]).toContain('2 other posts were published late')
  })

  it('a draft, where somebody wants to hear of it', async () => {
    await client.notifications.create({ kind: 'slack', target: chat.url, events: ['draft.ready'] })
    await client.drafts.generate({ topic: 'Bread', site_id: site.id })
    await ready()
    await ready()
    expect(said()).toHaveLength(1)
    expect(said()[0]).toContain('Your draft is ready')
  })
})

describe('a forgotten password', () => {
  const anybody = () => createClient({ baseUrl: service.url })

  it('is replaced with the link, which works once and ends every login', async () => {
    const { email } = (await client.account()).user
    await anybody().auth.forgotPassword(email.toUpperCase())
    await ready()
    const token = tokenIn(mailServer.mails.at(-1)?.text)
    await expect(anybody().auth.resetPassword({ token, password: 'password' })).rejects.toMatchObject({
      field: 'password',
    })
    await anybody().auth.resetPassword({ token, password: 'seven other words' })
    await expect(client.account()).rejects.toMatchObject({ status: 401 })
    await anybody().auth.login({ email, password: 'seven other words' })
    await expect(anybody().auth.resetPassword({ token, password: 'eight other words' })).rejects.toMatchObject({
      status: 404,
    })
  })

  it('is answered alike for an unknown address, mails it nothing, and mails an account three times an hour', async () => {
    await anybody().auth.forgotPassword('nobody@example.com')
    await ready()
    expect(mailServer.mails).toHaveLength(0)
    const { email } = (await client.account()).user
    for (let count = 0; count < 5; count += 1) {
      await anybody().auth.forgotPassword(email)
      await ready()
    }
    expect(mailServer.mails).toHaveLength(3)
  })

  it('is over after an hour', async () => {
    const { email } = (await client.account()).user
    await anybody().auth.forgotPassword(email)
    await ready()
    const token = tokenIn(mailServer.mails.at(-1)?.text)
    service.clock.advance(HOUR)
    await expect(anybody().auth.resetPassword({ token, password: 'seven other words' })).rejects.toMatchObject({
      status: 404,
    })
  })
})

describe('without a mail server', () => {
  it('says so instead of adding an address or promising a link', async () => {
    const plain = await startService()
    const there = await newAccount(plain)
    expect(await there.notifications.list()).toEqual({ channels: [], email: false })
    await expect(there.notifications.create({ kind: 'email', target: 'ada@example.org' })).rejects.toMatchObject({
      status: 503,
    })
    await expect(there.auth.forgotPassword('ada@example.org')).rejects.toMatchObject({ status: 503 })
    await plain.stop()
  })
})
