import { type Kysely, sql } from 'kysely'
import { docToText } from '../posts/body/text.ts'
import { searchVector } from '../posts/search.ts'
import { indexedWords } from '../posts/words.ts'

/** A few posts at a time: a body may have a megabyte. */
const AT_ONCE = 20

type Row = Pick<Parameters<typeof searchVector>[0], 'title' | 'excerpt' | 'tags'> & {
  id: string
  account_id: string
  created_at: Date
  body_json: Parameters<typeof docToText>[0]
}

/**
 * Makes all search vectors anew: of words in plain letters, without signs, of scripts without spaces too, and also of excerpts and tags.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<Row>`
      select id, account_id, created_at, title, excerpt, tags, body_json from posts where id > ${last} order by id limit ${AT_ONCE}
    `.execute(db)
    for (const { id, account_id: accountId, created_at: createdAt, body_json: body, ...texts } of rows) {
      const vector = searchVector({ accountId, createdAt, ...texts, words: indexedWords(docToText(body)) })
      await sql`update posts set search = ${vector} where id = ${id}`.execute(db)
      last = id
    }
    if (rows.length < AT_ONCE) return
  }
}
