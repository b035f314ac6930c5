import { createClient, type PostriderClient } from '@postrider/sdk'
import { sql } from 'kysely'
import type { Context } from '../../src/platform/context.ts'
import type { Db } from '../../src/platform/db/database.ts'
import type { ServiceProcess } from '../../test/support/process.ts'

const PASSWORD = 'correct horse battery'

/** A client with an account of its own at a running service. */
export async function registered(service: Pick<ServiceProcess, 'url'>, email: string): Promise<PostriderClient> {
  const client = createClient({ baseUrl: service.url })
  await client.auth.register({ name: 'Bench', email, password: PASSWORD })
  return client
}

/** A client with the account that `registered` made. */
export async function loggedIn(service: Pick<ServiceProcess, 'url'>, email: string): Promise<PostriderClient> {
  const client = createClient({ baseUrl: service.url })
  await client.auth.login({ email, password: PASSWORD })
  return client
}

/** The id of an account. */
export async function accountId(db: Db, email: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from accounts where email = ${email}`.execute(db)
  if (rows[0] === undefined) throw new Error(`no account ${email}`)
  return rows[0].id
}

/** Sites of an account, connected over the API. */
export async function connect(
  client: PostriderClient,
  count: number,
  urlOf: (index: number) => string,
): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const site = await client.sites.create({
      name: `Site ${index}`,
      url: 'https://blog.example.com',
      webhook_url: urlOf(index),
      platform: 'custom',
    })
    ids.push(site.id)
  }
  return ids
}

/** `count` posts of an account, scheduled for `at`, with bodies of about `bytes`. */
export async function seedScheduled(
  ctx: Pick<Context, 'db'>,
  { account, count, at, bytes }: { account: string; count: number; at: Date; bytes: number },
): Promise<void> {
  const html = `<p>${'A sentence of the kind that posts are made of. '.repeat(Math.ceil(bytes / 47))}</p>`
  await sql`
    insert into posts (id, account_id, version, slug, title, excerpt, body_html, body_markdown, body_json, meta, tags, status,
      scheduled_at, search, created_at, updated_at)
    select uuidv7(), ${account}::uuid, 1, 'due-' || n, 'Due ' || n, '', ${html}, '', '{"type":"doc","content":[]}', '{}', '{}',
      'scheduled', ${at}::timestamptz, ''::tsvector, now(), now()
    from generate_series(1, ${count}::int) as n
  `.execute(ctx.db.root)
  await sql`vacuum analyze posts`.execute(ctx.db.root)
}
