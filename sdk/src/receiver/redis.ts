/**
 * Keeps posts in Redis, Valkey or Upstash. One script replaces a post with its place in the list and its slugs, so that readers see all of it
 * or nothing.
 */
import { byNewest, DEFAULT_LIMIT, type Kept, type ListedPost, listed, partOf, readMark, type Store } from './store.ts'

/**
 * Sends one command, such as `['HGET', key, field]`, and resolves with its answer:
 * `(command) => client.sendCommand(command)` with node-redis, `([name, ...rest]) => client.call(name, ...rest)` with ioredis.
 */
export type SendCommand = (command: string[]) => Promise<unknown>

// KEYS: the post, the list, its order, the slugs. ARGV: the revision read or '', the post, its id, its entry of the list or '', its slug, its former ones.
const REPLACE = `
local here = redis.call('HGET', KEYS[1], 'revision') or ''
if here ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', here == '' and 1 or here + 1, 'kept', ARGV[2])
local before = redis.call('HGET', KEYS[2], ARGV[3])
if before then
  local post = cjson.decode(before)
  local slugs = post.previous_slugs or {}
  slugs[#slugs + 1] = post.slug
  for _, slug in ipairs(slugs) do
    if redis.call('HGET', KEYS[4], slug) == ARGV[3] then redis.call('HDEL', KEYS[4], slug) end
  end
  redis.call('HDEL', KEYS[2], ARGV[3])
  redis.call('ZREM', KEYS[3], ARGV[3])
end
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[3])
  for i = 7, #ARGV do redis.call('HSETNX', KEYS[4], ARGV[i], ARGV[3]) end
  redis.call('HSET', KEYS[4], ARGV[5], ARGV[3])
end
return 1`

/** Keeps posts in Redis. All keys begin with `prefix`, whose braces keep them on one node of a cluster. */
export function redisStore(send: SendCommand, { prefix = '{postrider}:' } = {}): Store {
  const postKey = (id: string) => `${prefix}post:${id}`
  const [listKey, orderKey, slugsKey, cursorKey] = [
    `${prefix}list`,
    `${prefix}order`,
    `${prefix}slugs`,
    `${prefix}cursor`,
  ]
  const text = async (command: string[]) => ((await send(command)) as string | null) ?? undefined
  const read = async (id: string) => {
    const [revision, kept] = (await send(['HMGET', postKey(id), 'revision', 'kept'])) as Array<string | null>
    return kept == null || revision == null ? undefined : { kept: JSON.parse(kept) as Kept, revision }
  }
  const entries = async (ids: string[]) => {
    if (ids.length === 0) return []
    const found = (await send(['HMGET', listKey, ...ids])) as Array<string | null>
    return found.flatMap((entry) => (entry === null ? [] : (JSON.parse(entry) as ListedPost)))
  }
  return {
    name: 'Redis',
    read,
    async write(id, kept, revision) {
      const { post } = kept
      const shown = post === null ? '' : JSON.stringify(listed(post))
      const place =
        post === null ? [] : [post.slug, String(Date.parse(post.published_at)), ...(post.previous_slugs ?? [])]
      const keys = [postKey(id), listKey, orderKey, slugsKey]
      const given = [String(revision ?? ''), JSON.stringify(kept), id, shown, ...place]
      return Number(await send(['EVAL', REPLACE, '4', ...keys, ...given])) === 1
    },
    async find(slug) {
      const id = await text(['HGET', slugsKey, slug])
      return (id === undefined ? undefined : (await read(id))?.kept.post) ?? undefined
    },
    async list(query = {}) {
      const { limit = DEFAULT_LIMIT, after, tag } = query
      if (tag !== undefined)
        return partOf((await entries((await send(['ZRANGE', orderKey, '0', '-1'])) as string[])).sort(byNewest), query)
      // Posts of one instant may be many: those at the mark's instant are read again, and left out by their id.
      const from = after === undefined ? '+inf' : String(Date.parse(readMark(after).publishedAt))
      if (from === 'NaN') return { posts: [] }
      for (let most = 2 * limit + 1; ; most *= 4) {
        const ids = (await send(['ZREVRANGEBYSCORE', orderKey, from, '-inf', 'LIMIT', '0', String(most)])) as string[]
        const part = partOf((await entries(ids)).sort(byNewest), query)
        if (part.after !== undefined || ids.length < most) return part
      }
    },
    readCursor: () => text(['GET', cursorKey]),
    async writeCursor(cursor) {
      await send(['SET', cursorKey, cursor])
    },
  }
}
