import { type Kysely, sql } from 'kysely'

/**
 * Words in search vectors lose their accents and the punctuation that stuck to them: in a database with the locale "C", such as the
 * embedded one, PostgreSQL takes every character beyond ASCII for a letter. Positions and weights stay.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ word: string }>`
    select word from ts_stat('select search from posts') where octet_length(word) > char_length(word)
  `.execute(db)
  await sql`create table plain_words (word text primary key, plain text[] not null)`.execute(db)
  for (let index = 0; index < rows.length; index += 1_000) {
    const words = rows.slice(index, index + 1_000).map(({ word }) => word)
    const plain = words.map((word) => plainWords(word).join(' '))
    await sql`
      insert into plain_words select word, string_to_array(plain, ' ') from unnest(${words}::text[], ${plain}::text[]) as p (word, plain)
    `.execute(db)
  }
  await sql`analyze plain_words`.execute(db)
  await sql
    .raw(String.raw`
update posts p set search = (
  select string_agg('''' || replace(replace(one, '\', '\\'), '''', '''''') || '''' || coalesce(':' || places, ''), ' ')::tsvector
  from unnest(p.search) as w (word, positions, weights)
  left join plain_words using (word)
  cross join lateral unnest(coalesce(plain, array[word])) as one
  cross join lateral (
    select string_agg(position || weight, ',') as places from unnest(positions, weights) as at (position, weight)
  ) places
)
where exists (select from unnest(p.search) as w (word) join plain_words using (word));
drop table plain_words;
`)
    .execute(db)
}

function plainWords(word: string): string[] {
  const unmarked = word
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]|\p{Cf}/gu, '')
    .normalize('NFC')
  return unmarked.split(/[^\p{L}\p{N}\p{M}\x20-\x7e]+/u).filter((plain) => plain !== '' && !plain.includes(' '))
}
